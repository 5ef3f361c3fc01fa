using System.Text;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>A reference pool's name, the one event that the runtime's pool lacks: a UTF-16 string that ends in a zero.</summary>
internal static class AnnouncementEvents
{
    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        if (e.Id != 1 || !e.Has(2))
        {
            return false;
        }

        sink.ReferencePool(Encoding.Unicode.GetString(e.Payload[..(e.Payload.Length & ~1)]).TrimEnd('\0'));
        return true;
    }
}
