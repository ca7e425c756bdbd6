/** Under the 5 s of a key request, so that a slow issuer becomes a 503 and not a hang. */
const timeoutMs = 3_000;
/** Sets have a handful of keys of some 500 octets. */
const maxOctets = 256 * 1024;

/**
 * Fetches a key set. Redirects are not followed: the configured URL is the one that is trusted.
 *
 * @throws Error in plain words for anything but a 200 with a JSON document of a sane size
 */
export async function fetchKeySet(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200 || !response.body) throw new Error(`the key set answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let octets = 0;
  for await (const chunk of response.body) {
    octets += chunk.byteLength;
    if (octets > maxOctets) throw new Error(`the key set is larger than ${maxOctets} octets`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
