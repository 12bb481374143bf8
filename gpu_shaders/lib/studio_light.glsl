// Light that looks like Blender's solid mode: its default studio light, four lights that stand still to the
// camera. Directions, colours and softness are those of its preferences (system.solid_lights) as it ships.

vec3 light_reflected(
    vec3 baseColor, vec3 normal, vec3 lightDirection, vec3 diffuse, vec3 specular, float softness)
{
  vec3 toLight = normalize(lightDirection);
  float facing = dot(normal, toLight);
  // Softness wraps the light around the surface, and thins it by as much.
  float wrapped = max(facing + softness, 0.0) / ((1.0 + softness) * (1.0 + softness));
  vec3 halfway = normalize(toLight + vec3(0.0, 0.0, 1.0));
  float highlight = max(facing, 0.0) * pow(max(dot(normal, halfway), 0.0), 128.0);
  // The shares of diffuse and specular light: matched by eye and by mean brightness to a solid view of the same
  // mesh.
  return 0.88 * baseColor * diffuse * wrapped + 0.4 * specular * highlight;
}

// normal: unit length, view space (x right, y up, z towards the viewer).
vec3 studio_light(vec3 baseColor, vec3 normal)
{
  vec3 color = light_reflected(
      baseColor, normal, vec3(-0.353, 0.171, -0.920), vec3(0.033), vec3(0.267), 0.527);
  color += light_reflected(
      baseColor, normal, vec3(-0.408, 0.347, 0.844), vec3(0.521, 0.538, 0.538), vec3(0.599), 0.0);
  color += light_reflected(
      baseColor, normal, vec3(0.522, 0.826, 0.213), vec3(0.038, 0.034, 0.050), vec3(0.106, 0.126, 0.159), 0.478);
  color += light_reflected(
      baseColor, normal, vec3(0.625, -0.562, -0.542), vec3(0.091, 0.082, 0.072), vec3(0.107, 0.085, 0.066), 0.2);
  return color;
}

// The unit normal of the side that is seen.
vec3 seen_normal(vec3 normal)
{
  return normalize(gl_FrontFacing ? normal : -normal);
}

// For colours that mean something: what faces the viewer keeps them exactly; the rest darkens the more it turns
// away, and more towards the lower right, so that the form can be seen on surfaces of one colour.
float facing_light(vec3 normal)
{
  vec3 seen = seen_normal(normal);
  const vec3 fromUpperLeft = vec3(-0.48, 0.6, 0.64);
  float light = 0.12 + 0.5 * max(seen.z, 0.0) + 0.38 * max(dot(seen, fromUpperLeft), 0.0) / fromUpperLeft.z;
  return min(light, 1.0);
}
