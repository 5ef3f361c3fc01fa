namespace Real.Running;

/// <summary>The addresses of the servers that the runner started, from its environment.</summary>
internal static class Servers
{
    /// <summary>Gets the connection string of PostgreSQL.</summary>
    public static string Postgres => Named("ZOO_POSTGRES");

    /// <summary>Gets host and port of Redis.</summary>
    public static string Redis => Named("ZOO_REDIS");

    /// <summary>Gets the process id of Redis.</summary>
    public static int RedisProcess => int.Parse(Named("ZOO_REDIS_PID"));

    /// <summary>Gets the address of RabbitMQ.</summary>
    public static Uri Rabbit => new(Named("ZOO_RABBIT"));

    /// <summary>Gets the address of nginx.</summary>
    public static string NginxFront => Named("ZOO_NGINX");

    /// <summary>Gets the address at which nginx expects the program.</summary>
    public static string NginxBack => Named("ZOO_NGINX_BACK");

    private static string Named(string variable) =>
        Environment.GetEnvironmentVariable(variable) ?? throw new InvalidOperationException($"needs {variable}: `./build.sh zoo --real` starts the servers");
}
