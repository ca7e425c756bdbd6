/**
 * Where the keys of a content are: absolute below `PUBLIC_URL`, a path where that is not set. Never from a request's
 * `Host`, which whoever asks may choose.
 */
export function keyEndpointOf(publicUrl: string | null, contentId: string): string {
  return `${(publicUrl ?? '').replace(/\/+$/, '')}/keys/${contentId}`;
}
