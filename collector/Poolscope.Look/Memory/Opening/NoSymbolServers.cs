using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.Loader;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Stands in for the assembly by which the package signs in to symbol servers: to compile the method that hands out a file
/// locator, also one's own, the runtime wants some types of it. They have no code, and nothing makes one.</summary>
internal static class NoSymbolServers
{
    private const string Name = "Azure.Core";
    private static readonly string[] Structs = ["Azure.Core.AccessToken", "Azure.Core.TokenRequestContext"];
    private static readonly string[] Classes = ["Azure.Core.TokenCredential"];

    private static readonly Lazy<Assembly> Empty = new(Make);

    static NoSymbolServers() => AssemblyLoadContext.Default.Resolving += static (_, wanted) => wanted.Name == Name ? Empty.Value : null;

    /// <summary>From now on it is there.</summary>
    public static void StandIn()
    {
        // The class's constructor has done it, once.
    }

    private static Assembly Make()
    {
        var assembly = new PersistedAssemblyBuilder(new AssemblyName($"{Name}, Version=1.53.0.0"), typeof(object).Assembly);
        var module = assembly.DefineDynamicModule(Name);
        foreach (var name in Classes)
        {
            module.DefineType(name, TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Class).CreateType();
        }

        foreach (var name in Structs)
        {
            module.DefineType(name, TypeAttributes.Public | TypeAttributes.Sealed | TypeAttributes.SequentialLayout, typeof(ValueType), PackingSize.Unspecified, typesize: 1).CreateType();
        }

        using var bytes = new MemoryStream();
        assembly.Save(bytes);
        bytes.Position = 0;
        return AssemblyLoadContext.Default.LoadFromStream(bytes);
    }
}
