// Writes what Unity makes of a character: the skinned vertices at each frame of a clip, as a file that
// `skinscope diff BUNDLE positions.json` reads.
//
// Put this file into a folder named Editor of a project. Place the imported character in a scene, select the object
// with its Skinned Mesh Renderer, then choose Window > Skinscope Capture.
//
// UNTESTED by its authors, who have no Unity at hand: please report what does not work.

using System.Globalization;
using System.IO;
using System.Text;
using UnityEditor;
using UnityEngine;

public class SkinscopeCapture : EditorWindow
{
    AnimationClip clip;
    float framesPerSecond = 24;
    int clipStart = 1;
    int firstFrame = 1;
    int lastFrame = 50;

    [MenuItem("Window/Skinscope Capture")]
    static void Open() => GetWindow<SkinscopeCapture>("Skinscope Capture");

    void OnGUI()
    {
        clip = (AnimationClip)EditorGUILayout.ObjectField("Clip", clip, typeof(AnimationClip), false);
        framesPerSecond = EditorGUILayout.FloatField("Frames per Second in Blender", framesPerSecond);
        clipStart = EditorGUILayout.IntField("Blender's Frame at Time 0", clipStart);
        firstFrame = EditorGUILayout.IntField("First Frame", firstFrame);
        lastFrame = EditorGUILayout.IntField("Last Frame", lastFrame);
        var chosen = Selection.activeGameObject;
        var renderer = chosen == null ? null : chosen.GetComponent<SkinnedMeshRenderer>();
        EditorGUI.BeginDisabledGroup(renderer == null || clip == null);
        if (GUILayout.Button("Capture..."))
        {
            var path = EditorUtility.SaveFilePanel("Positions", "", renderer.name + ".json", "json");
            if (path != "") File.WriteAllText(path, Captured(renderer));
        }
        EditorGUI.EndDisabledGroup();
        if (renderer == null) EditorGUILayout.HelpBox("Select the object with the Skinned Mesh Renderer.", MessageType.Info);
    }

    string Captured(SkinnedMeshRenderer renderer)
    {
        // Clips name their bones from the object with the Animator, or the topmost one.
        var animator = renderer.GetComponentInParent<Animator>();
        var root = animator != null ? animator.gameObject : renderer.transform.root.gameObject;
        var positions = new StringBuilder();
        var frames = new StringBuilder();
        var baked = new Mesh();
        AnimationMode.StartAnimationMode();
        try
        {
            for (int frame = firstFrame; frame <= lastFrame; frame++)
            {
                AnimationMode.BeginSampling();
                AnimationMode.SampleAnimationClip(root, clip, (frame - clipStart) / framesPerSecond);
                AnimationMode.EndSampling();
                // As many influences as the quality settings and the renderer allow; in the renderer's own space,
                // its scale included.
                renderer.BakeMesh(baked, true);
                var vertices = baked.vertices;
                for (int index = 0; index < vertices.Length; index++)
                    vertices[index] = renderer.transform.TransformPoint(vertices[index]);
                if (frame > firstFrame) { positions.Append(','); frames.Append(','); }
                positions.Append(Listed(vertices));
                frames.Append(frame.ToString(CultureInfo.InvariantCulture));
            }
        }
        finally
        {
            AnimationMode.StopAnimationMode();
            DestroyImmediate(baked);
        }
        var mesh = renderer.sharedMesh;
        var document = new StringBuilder("{\"positions\": [");
        document.Append(positions).Append("], \"frames\": [").Append(frames);
        document.Append("], \"rest_positions\": ").Append(Listed(mesh.vertices));
        if (mesh.normals.Length == mesh.vertexCount)
            document.Append(", \"rest_normals\": ").Append(Listed(mesh.normals));
        var uv = mesh.uv;
        if (uv.Length == mesh.vertexCount)
        {
            document.Append(", \"uv\": [");
            for (int index = 0; index < uv.Length; index++)
            {
                if (index > 0) document.Append(',');
                document.Append('[').Append(Number(uv[index].x)).Append(',').Append(Number(uv[index].y)).Append(']');
            }
            document.Append(']');
        }
        return document.Append("}\n").ToString();
    }

    static string Listed(Vector3[] vectors)
    {
        var text = new StringBuilder("[");
        for (int index = 0; index < vectors.Length; index++)
        {
            var one = vectors[index];
            if (index > 0) text.Append(',');
            text.Append('[').Append(Number(one.x)).Append(',').Append(Number(one.y)).Append(',').Append(Number(one.z)).Append(']');
        }
        return text.Append(']').ToString();
    }

    static string Number(float value) => value.ToString("R", CultureInfo.InvariantCulture);
}
