// What the probe's vertex stage hands to its fragment stage. Flat: a value must arrive bit for bit.

#resource varying flat VEC3 probedPosition
#resource varying flat VEC3 probedNormal
