export const contentId = 'film';

/** The lease of a viewer; its last 12 digits are the viewer's number. */
export function leaseIdOf(viewer: number): string {
  return `00000000-0000-4000-8000-${String(viewer).padStart(12, '0')}`;
}

export function viewerIdOf(viewer: number): string {
  return `viewer-${String(viewer).padStart(12, '0')}`;
}
