using System.Globalization;
using Microsoft.Diagnostics.Runtime;
using Poolscope.Decode.Stacks;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Says where in the source a frame's call stands: file and line, from the portable PDB that belongs to the module. Without
/// one, or of code of the framework, there is no place.</summary>
internal sealed class SourcePlaces : IDisposable
{
    private readonly SourceLines _lines = new();
    private readonly Dictionary<ulong, ManagedModule?> _modules = [];

    /// <returns>Such as Orders.cs:41; null: not known.</returns>
    /// <param name="frame">Of a managed method.</param>
    /// <param name="isInnermost">The instruction is the one that runs; else the one after a call.</param>
    public string? Of(ClrStackFrame frame, bool isInnermost)
    {
        if (frame.Method is not { Type.Module: { } module } method || Module(module) is not { } known)
        {
            return null;
        }

        var offset = method.GetILOffset(isInnermost ? frame.InstructionPointer : frame.InstructionPointer - 1);
        return _lines.Find(known, method.MetadataToken, offset) is { Exact: true } line
            ? string.Create(CultureInfo.InvariantCulture, $"{line.File[(line.File.LastIndexOfAny(['/', '\\']) + 1)..]}:{line.Line}")
            : null;
    }

    public void Dispose() => _lines.Dispose();

    /// <summary>The framework's modules have no PDB beside them: nothing needs to look for one.</summary>
    private ManagedModule? Module(ClrModule module)
    {
        if (!_modules.TryGetValue(module.Address, out var known))
        {
            var name = Path.GetFileName(module.Name ?? "");
            var isFrameworks = name.StartsWith("System.", StringComparison.Ordinal) || name.StartsWith("Microsoft.", StringComparison.Ordinal);
            known = isFrameworks || module.Pdb is not { } pdb ? null : new ManagedModule(module.Name!, pdb.Path, pdb.Guid);
            _modules.Add(module.Address, known);
        }

        return known;
    }
}
