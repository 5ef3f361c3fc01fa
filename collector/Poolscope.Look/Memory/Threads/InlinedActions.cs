using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Names a controller's action that was inlined into the delegate by which ASP.NET Core calls it. The action
/// has no frame then, but the object that describes it is on the stack nearby.</summary>
internal sealed class InlinedActions
{
    private const string Module = "Microsoft.AspNetCore.Mvc.Core.dll";
    private const string Executor = "Microsoft.Extensions.Internal.ObjectMethodExecutor";

    /// <summary>The frame of the delegate's caller, which holds the object, is within this many bytes.</summary>
    private const int Reach = 1024;

    private readonly ClrRuntime _runtime;
    private readonly ulong _type;

    public InlinedActions(ClrRuntime runtime)
    {
        _runtime = runtime;
        _type = runtime.EnumerateModules().FirstOrDefault(static module => Path.GetFileName(module.Name) == Module)?.GetTypeByName(Executor)?.MethodTable ?? 0;
    }

    /// <summary>Returns whether methods of a type call actions.</summary>
    public static bool Calls(string type) => type.StartsWith("Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor", StringComparison.Ordinal);

    /// <param name="top">Address of the frame that the actions' caller called.</param>
    /// <returns>The action; null: none was found, or more than one.</returns>
    public ClrMethod? Above(ulong top)
    {
        if (_type == 0)
        {
            return null;
        }

        var reader = _runtime.DataTarget.DataReader;
        Span<byte> stack = stackalloc byte[Reach];
        var read = reader.Read(top, stack);
        var found = new HashSet<ulong>();
        for (var at = 0; at + sizeof(ulong) <= read; at += sizeof(ulong))
        {
            var address = BitConverter.ToUInt64(stack[at..]);
            if (address != 0 && (address & 7) == 0 && reader.ReadPointer(address, out var type) && type == _type)
            {
                found.Add(address);
            }
        }

        return found.Count == 1
            && _runtime.Heap.GetObject(found.First()).TryReadObjectField("<MethodInfo>k__BackingField", out var action) && action is { IsValid: true, IsNull: false }
            && action.TryReadField("m_handle", out ulong handle)
            ? _runtime.GetMethodByHandle(handle)
            : null;
    }
}
