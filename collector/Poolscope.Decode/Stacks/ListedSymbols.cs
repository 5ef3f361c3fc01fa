using System.Text;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Stacks;

/// <summary>Reads the methods that one-collect lists in its files. It takes them from the runtime's perf map, which
/// holds the code compiled while the process ran, as "int32 [Module] Namespace.Type::Method(int32)[Tier]".</summary>
internal sealed class ListedSymbols(MethodMap map)
{
    private const string Symbol = "ProcessSymbol";
    private const string Assembly = ".dll";

    private static readonly Guid Provider = TraceEventProviders.GetEventSourceGuidFromName(KnownEvents.System);

    private readonly Dictionary<string, long> _modules = [];

    /// <summary>Reads a symbol: its id, the id of its mapping, first and last address, as numbers of variable length;
    /// then its name, a length (u16) and UTF-8 bytes. Ignores other events.</summary>
    public void Decode(in RawEvent e)
    {
        if (e.Provider != Provider || e.Name != Symbol)
        {
            return;
        }

        try
        {
            var bytes = new BlockBytes(e.Payload);
            bytes.Variable();
            bytes.Variable();
            var (first, last) = (bytes.Variable(), bytes.Variable());
            var name = Encoding.UTF8.GetString(bytes.Take(bytes.UInt16()));
            if (last >= first && last - first < uint.MaxValue && Method(name) is { } method)
            {
                map.AddMethod(first, (uint)(last - first) + 1, method.Name, Module(method.Module!));
            }
        }
        catch (NettraceDamage)
        {
            // An incomplete symbol is ignored.
        }
    }

    /// <returns>The method; null if the name is not that of a managed method.</returns>
    internal static MethodName? Method(string listed)
    {
        var member = listed.IndexOf("::", StringComparison.Ordinal);
        var type = member < 0 ? -1 : listed.LastIndexOf("] ", member, StringComparison.Ordinal);
        var module = type < 0 ? -1 : listed.LastIndexOf('[', type);
        if (module < 0)
        {
            return null;
        }

        var end = listed.IndexOf('(', member);
        var method = listed[(member + 2)..(end < 0 ? listed.Length : end)];
        return new MethodName($"{listed[(type + 2)..member]}.{method}", listed[(module + 1)..type] + Assembly);
    }

    private long Module(string name)
    {
        if (!_modules.TryGetValue(name, out var module))
        {
            _modules.Add(name, module = -1 - _modules.Count);
            map.AddModule(module, new ManagedModule(name));
        }

        return module;
    }
}
