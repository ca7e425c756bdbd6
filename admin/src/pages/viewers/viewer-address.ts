/** The page of a viewer. The ID is in the query: it may have any character, and a path with a dot is a file's. */
export function viewerAddress(viewerId: string): string {
  return `/viewers?${new URLSearchParams({ viewer: viewerId })}`;
}
