using Poolscope.Decode;

namespace Poolscope.Collect.Recording;

/// <summary>The decoder, as the verbs call it.</summary>
internal static class CaptureTables
{
    /// <exception cref="InvalidDataException">The capture cannot be decoded; the message is for a person.</exception>
    public static async Task DecodeAsync(string folder, IProgress<string> progress, CancellationToken cancel)
    {
        try
        {
            await Task.Run(() => CaptureDecoder.Decode(folder, progress, cancel), cancel).ConfigureAwait(false);
        }
        catch (DecodeException e)
        {
            throw new InvalidDataException(e.Message, e);
        }
    }
}
