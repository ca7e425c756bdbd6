/**
 * The URL of a content's keys below `PUBLIC_URL`, or a path if that is not set. It never comes from a request's `Host`, which
 * the caller chooses.
 */
export function keyEndpointOf(publicUrl: string | null, contentId: string): string {
  return `${publicUrl ?? ''}/keys/${contentId}`;
}
