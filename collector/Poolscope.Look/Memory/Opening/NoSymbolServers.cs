using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.Loader;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Replaces the assembly with which the package signs in to symbol servers. To compile the method that returns
/// a file locator, even a custom one, the runtime needs some types of that assembly. They have no code, and no instance
/// is ever made.</summary>
internal static class NoSymbolServers
{
    private const string Name = "Azure.Core";
    private static readonly string[] Structs = ["Azure.Core.AccessToken", "Azure.Core.TokenRequestContext"];
    private static readonly string[] Classes = ["Azure.Core.TokenCredential"];

    private static readonly Lazy<Assembly> Empty = new(Make);

    static NoSymbolServers() => AssemblyLoadContext.Default.Resolving += static (_, wanted) => wanted.Name == Name ? Empty.Value : null;

    /// <summary>Makes the replacement available.</summary>
    public static void StandIn()
    {
        // The static constructor has done it, once.
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
