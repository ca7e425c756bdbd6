import { apiKeyAddress } from '../pages/api-keys/api-key-address.ts';
import { addressOf } from '../pages/leases/lease-filter.ts';
import { viewerAddress } from '../pages/viewers/viewer-address.ts';
import type { NavItem } from '../shell/nav-items.tsx';
import { type FoundCredential, findCredential } from '../state/find-credential.ts';

/** A place that the palette leads to. */
export interface PaletteEntry {
  /** Its heading. Places below `Look up` may lead to nothing. */
  group: 'Pages' | 'Found' | 'Look up';
  label: string;
  /** The kind of thing that the label names: `Page`, `Content`, `Viewer`. */
  kind: string;
  /** Within /admin. */
  path: string;
  /** The keys that lead there without the palette, such as `g l`. */
  keys?: string;
}

/** The contents and viewers that the server found for the typed text. */
export interface Found {
  contents: readonly { id: string; name: string }[];
  viewers: readonly { viewerId: string }[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The kind of a pasted credential and its destination; null if the text has none. */
export function describeCredential(text: string): string | null {
  const found = findCredential(text);
  if (!found) return null;
  const { id, contentId } = found;
  const known = id || contentId;
  return `${credentialWords[found.kind]}${known ? ` It is looked up by ${known}.` : ''} The rest does not leave this page.`;
}

const credentialWords: Record<FoundCredential['kind'], string> = {
  'api-key': 'This is an API key.',
  token: 'This is a viewer token.',
  session: 'This is the URL or ID of a playback session.',
  other: 'This is a credential.',
};

/** Whether a page has this path, or one below it. */
export function isOnPage(path: string, page: Pick<NavItem, 'path'>): boolean {
  return path.split(/[?/]/)[1] === page.path.slice(1);
}

type Place = Pick<PaletteEntry, 'label' | 'kind' | 'path'>;

/**
 * The entries that the palette offers for a text, best first: pages by their name, the findings of the server, and the lists that can be
 * searched for the text. For a credential: the pages of the objects that it identifies.
 */
export function listEntries(
  typed: string,
  pages: readonly Pick<NavItem, 'path' | 'label' | 'shortcut'>[],
  found: Found,
): PaletteEntry[] {
  const text = typed.trim();
  const lookUp = (places: readonly Place[]) =>
    places
      .filter(({ path }) => pages.some((page) => isOnPage(path, page)))
      .map((place) => ({ group: 'Look up' as const, ...place }));
  const credential = findCredential(text);
  if (credential) return lookUp(placesOf(credential));
  const named = pages
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ path, label, shortcut }) => ({
      ...{ group: 'Pages' as const, label, kind: 'Page', path, keys: `g ${shortcut}` },
    }));
  if (text === '') return named;
  const places = [
    ...found.contents.map(({ id, name }) => contentPlace(`Content ${id}`, id, name)),
    ...found.viewers.map(({ viewerId }) => viewerPlace('Viewer', viewerId)),
  ];
  return [
    ...named,
    ...places.map((place) => ({ group: 'Found' as const, ...place })),
    ...lookUp(listsFor(text, found)),
  ];
}

/** Where what a credential identifies is found. */
function placesOf({ kind, id, contentId }: FoundCredential): Place[] {
  const content = contentId === null ? [] : [contentPlace('Content with this ID', contentId)];
  if (id === '') return content;
  if (kind === 'api-key') return [searchPlace('API key with this prefix', '/api-keys', 'q', id)];
  if (kind === 'session') return [searchPlace('Lease of this session', '/leases', 'lease', id), ...content];
  return [viewerPlace('Viewer of this token', id), leasesPlace(id), ...content];
}

/** The lists that can be asked for a text. A UUID is a lease or an API key. */
function listsFor(text: string, { viewers }: Found): Place[] {
  const isListed = viewers.some(({ viewerId }) => viewerId === text);
  return [
    ...(uuid.test(text)
      ? [
          searchPlace('Lease with this ID', '/leases', 'lease', text),
          { label: text, kind: 'API key with this ID', path: apiKeyAddress(text) },
        ]
      : [
          searchPlace('API keys with this name', '/api-keys', 'q', text),
          ...(isListed ? [] : [viewerPlace('Viewer with this ID', text)]),
          leasesPlace(text),
        ]),
    searchPlace('Audit of this target', '/audit', 'target', text),
    searchPlace('Audit of this actor', '/audit', 'actor', text),
  ];
}

/** A list that is searched for a text by a parameter of its address. */
function searchPlace(kind: string, page: string, parameter: string, text: string, label = text): Place {
  return { label, kind, path: `${page}?${new URLSearchParams({ [parameter]: text })}` };
}

function viewerPlace(kind: string, viewerId: string): Place {
  return { label: viewerId, kind, path: viewerAddress(viewerId) };
}

function leasesPlace(viewer: string): Place {
  return { label: viewer, kind: 'Leases of this viewer', path: addressOf({ viewer }) };
}

function contentPlace(kind: string, id: string, label = id): Place {
  // A path with a dot is a file's.
  if (id.includes('.')) return searchPlace(kind, '/content', 'q', id, label);
  return { label, kind, path: `/content/${encodeURIComponent(id)}` };
}
