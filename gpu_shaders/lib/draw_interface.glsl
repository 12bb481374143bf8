// What the drawing vertex stage hands to every display's fragment stage.

#resource varying smooth VEC3 viewNormal
#resource varying smooth VEC2 texturePosition
#resource varying smooth VEC4 vertexValue
#resource varying flat VEC3 instanceTint
