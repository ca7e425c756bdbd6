/** Under the 5 s of a key request, so that a slow issuer becomes a 503 and not a hang. */
const timeoutMs = 3_000;
/** Key sets have a handful of keys of some 500 bytes. */
const maxBytes = 256 * 1024;

/**
 * Fetches a key set. Redirects are not followed: the configured URL is the one that is trusted.
 *
 * @throws Error with a readable reason for anything but a 200 with a JSON document of bounded size
 */
export async function fetchKeySet(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200 || !response.body) throw new Error(`the key set answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the key set is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
