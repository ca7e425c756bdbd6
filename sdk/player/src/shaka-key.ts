/** Shaka reads it at once, and again if it repeats the request. */
const blobLifeMs = 60_000;

/** Not a `data:` URL: Shaka shows URLs to the application, which may log them. @returns the URL of a key, for a minute */
export function toBlobUrl(key: ArrayBuffer): string {
  const url = URL.createObjectURL(new Blob([key]));
  // By the machine's own clock: nothing else depends on it.
  setTimeout(() => URL.revokeObjectURL(url), blobLifeMs);
  return url;
}

/** Whether the page's Content-Security-Policy lets scripts read `blob:` URLs (`connect-src`). */
export async function canReadBlobs(): Promise<boolean> {
  const url = URL.createObjectURL(new Blob());
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  } finally {
    URL.revokeObjectURL(url);
  }
}
