"""Making a rig that an engine plays as it was authored: the bones' hierarchy and their motion without shear.

Read `channels`, a bone's translation, rotation and scale, then `hierarchy`, which chooses the parents.
"""
