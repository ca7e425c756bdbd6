import type { IconName } from '../components/icon.tsx';
import { apiKeyAddress } from '../pages/api-keys/api-key-address.ts';
import { addressOf } from '../pages/leases/lease-filter.ts';
import { viewerAddress } from '../pages/viewers/viewer-address.ts';
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

interface PalettePage {
  path: string;
  label: string;
  icon: IconName;
  shortcut: string;
}

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
function placesOf({ kind, id: label, contentId }: FoundCredential): Place[] {
  const content =
    contentId === null
      ? []
      : [
          {
            label: contentId,
            kind: 'Content with this ID',
            path: contentAddress(contentId),
            icon: 'film' as const,
          },
        ];
  if (label === '') return content;
  if (kind === 'api-key')
    return [
      { label, kind: 'API key with this prefix', path: address('/api-keys', { q: label }), icon: 'key' },
    ];
  if (kind === 'session')
    return [
      { label, kind: 'Lease of this session', path: address('/leases', { lease: label }), icon: 'clock' },
      ...content,
    ];
  return [
    { label, kind: 'Viewer of this token', path: viewerAddress(label), icon: 'people' },
    { label, kind: 'Leases of this viewer', path: addressOf({ viewer: label }), icon: 'clock' },
    ...content,
  ];
}

function toEntries({ contents, viewers }: Found): Place[] {
  return [
    ...contents.map(({ id, name }) => ({
      ...{ label: name, kind: `Content ${id}`, path: contentAddress(id) },
      icon: 'film' as const,
    })),
    ...viewers.map(({ viewerId }) => ({
      ...{ label: viewerId, kind: 'Viewer', path: viewerAddress(viewerId) },
      icon: 'people' as const,
    })),
  ];
}

/** The lists that can be asked for a text. A UUID is a lease or an API key. */
function listsFor(label: string, { viewers }: Found): Place[] {
  const lease = address('/leases', { lease: label });
  const apiKey = apiKeyAddress(label);
  const isListed = viewers.some(({ viewerId }) => viewerId === label);
  const viewer = { label, kind: 'Viewer with this ID', path: viewerAddress(label), icon: 'people' as const };
  const leases = addressOf({ viewer: label });
  return [
    ...(uuid.test(label)
      ? [
          { label, kind: 'Lease with this ID', path: lease, icon: 'clock' as const },
          { label, kind: 'API key with this ID', path: apiKey, icon: 'key' as const },
        ]
      : [
          {
            label,
            kind: 'API keys with this name',
            path: address('/api-keys', { q: label }),
            icon: 'key' as const,
          },
          ...(isListed ? [] : [viewer]),
          { label, kind: 'Leases of this viewer', path: leases, icon: 'clock' as const },
        ]),
    { label, kind: 'Audit of this target', path: address('/audit', { target: label }), icon: 'list' },
    { label, kind: 'Audit of this actor', path: address('/audit', { actor: label }), icon: 'list' },
  ];
}

function address(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

function contentAddress(id: string): string {
  // A path with a dot is a file's.
  return id.includes('.') ? address('/content', { q: id }) : `/content/${encodeURIComponent(id)}`;
}
