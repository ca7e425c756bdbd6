import type { IconName } from '../components/icon.tsx';
import { apiKeyAddress } from '../pages/api-keys/api-key-address.ts';
import { addressOf } from '../pages/leases/lease-filter.ts';
import { viewerAddress } from '../pages/viewers/viewer-address.ts';
import type { NavItem } from '../shell/nav-items.tsx';
import { type FoundCredential, findCredential } from '../state/find-credential.ts';

/** The headings of the palette, in their order. Places below `Look up` may lead to nothing. */
export const paletteGroups = ['Pages', 'Found', 'Look up'] as const;

/** A place that the palette leads to. */
export interface PaletteEntry {
  group: (typeof paletteGroups)[number];
  label: string;
  /** The kind of thing that the label names: `Page`, `Content`, `Viewer`. */
  kind: string;
  /** Within /admin. */
  path: string;
  icon: IconName;
  /** The keys that lead there without the palette, such as `g l`. */
  keys?: string;
}

/** The contents and viewers that the server found for the typed text. */
export interface Found {
  contents: readonly { id: string; name: string }[];
  viewers: readonly { viewerId: string }[];
}

type PalettePage = Pick<NavItem, 'path' | 'label' | 'icon' | 'shortcut'>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Contents that begin with the text, then contents that have it elsewhere, each once. */
export function mergeFound<Content extends { id: string }>(
  beginning: readonly Content[],
  containing: readonly Content[],
  atMost: number,
): Content[] {
  const byId = new Map([...beginning, ...containing].map((content) => [content.id, content]));
  return [...byId.values()].slice(0, atMost);
}

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

/**
 * The entries that the palette offers for a text, best first: pages by their name, the findings of the server, and the lists that can be
 * searched for the text. For a credential: the pages of the objects that it identifies.
 */
export function listEntries(typed: string, pages: readonly PalettePage[], found: Found): PaletteEntry[] {
  const text = typed.trim();
  const shown = pages.map(({ path, label, icon, shortcut }) => ({
    ...{ group: 'Pages' as const, label, kind: 'Page', path, icon },
    keys: `g ${shortcut}`,
  }));
  const isShown = ({ path }: PaletteEntry) =>
    pages.some((page) => path.split(/[?/]/)[1] === page.path.slice(1));
  const credential = findCredential(text);
  if (credential) return inGroup('Look up', placesOf(credential)).filter(isShown);
  const named = shown.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  if (text === '') return named;
  return [
    ...named,
    ...inGroup('Found', toEntries(found)),
    ...inGroup('Look up', listsFor(text, found)).filter(isShown),
  ];
}

type Place = Omit<PaletteEntry, 'group'>;

function inGroup(group: PaletteEntry['group'], places: readonly Place[]): PaletteEntry[] {
  return places.map((place) => ({ group, ...place }));
}

/** Where what a credential identifies is found. */
function placesOf({ kind, id, contentId }: FoundCredential): Place[] {
  const content = contentId === null ? [] : [contentPlace('Content with this ID', contentId)];
  if (id === '') return content;
  if (kind === 'api-key') return [searchPlace('API key with this prefix', '/api-keys', 'q', id)];
  if (kind === 'session') return [searchPlace('Lease of this session', '/leases', 'lease', id), ...content];
  return [viewerPlace('Viewer of this token', id), leasesPlace(id), ...content];
}

function toEntries({ contents, viewers }: Found): Place[] {
  return [
    ...contents.map(({ id, name }) => contentPlace(`Content ${id}`, id, name)),
    ...viewers.map(({ viewerId }) => viewerPlace('Viewer', viewerId)),
  ];
}

/** The lists that can be asked for a text. A UUID is a lease or an API key. */
function listsFor(text: string, { viewers }: Found): Place[] {
  const isListed = viewers.some(({ viewerId }) => viewerId === text);
  return [
    ...(uuid.test(text)
      ? [
          searchPlace('Lease with this ID', '/leases', 'lease', text),
          { label: text, kind: 'API key with this ID', path: apiKeyAddress(text), icon: icons['/api-keys'] },
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

/** The icons of the pages. */
const icons = { '/api-keys': 'key', '/audit': 'list', '/leases': 'clock' } as const;

/** A list that is searched for a text by a parameter of its address. */
function searchPlace(kind: string, page: keyof typeof icons, parameter: string, text: string): Place {
  return { label: text, kind, path: address(page, { [parameter]: text }), icon: icons[page] };
}

function viewerPlace(kind: string, viewerId: string): Place {
  return { label: viewerId, kind, path: viewerAddress(viewerId), icon: 'people' };
}

function leasesPlace(viewer: string): Place {
  return {
    label: viewer,
    kind: 'Leases of this viewer',
    path: addressOf({ viewer }),
    icon: icons['/leases'],
  };
}

function contentPlace(kind: string, id: string, label = id): Place {
  // A path with a dot is a file's.
  const path = id.includes('.') ? address('/content', { q: id }) : `/content/${encodeURIComponent(id)}`;
  return { label, kind, path, icon: 'film' };
}

function address(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`;
}
