using System.Globalization;
using Microsoft.Diagnostics.Runtime;
using Poolscope.Decode.Stacks;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Finds the source line of a frame's call in the portable PDB of the module. Framework code, and modules
/// without a PDB, have no source line.</summary>
internal sealed class SourcePlaces : IDisposable
{
    private readonly SourceLines _lines = new();
    private readonly Dictionary<ulong, ManagedModule?> _modules = [];

    /// <returns>The file and line, such as Orders.cs:41; null: not known.</returns>
    /// <param name="frame">A frame of a managed method.</param>
    /// <param name="isInnermost">True if the frame's instruction is the one that runs, false if it is the one after a
    /// call.</param>
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

    /// <summary>Returns a module that names its PDB, or null. The framework's modules have no PDB beside them, so none
    /// is searched for.</summary>
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
