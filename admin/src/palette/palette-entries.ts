import type { IconName } from '../components/icon.tsx';
import { addressOf } from '../pages/leases/lease-filter.ts';
import { viewerAddress } from '../pages/viewers/viewer-address.ts';
import { type FoundCredential, findCredential } from '../state/find-credential.ts';

/** A place that the palette leads to. */
export interface PaletteEntry {
  label: string;
  /** Says what the label names: `Page`, `Content`, `Viewer`. */
  kind: string;
  /** Within /admin. */
  path: string;
  icon: IconName;
  /** The keys that lead there without the palette, such as `g l`. */
  keys?: string;
}

/** What the server found for the typed text. */
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

/** Contents that begin with the text, then those that have it elsewhere, each once. */
export function mergeFound<Content extends { id: string }>(
  beginning: readonly Content[],
  containing: readonly Content[],
  atMost: number,
): Content[] {
  const byId = new Map([...beginning, ...containing].map((content) => [content.id, content]));
  return [...byId.values()].slice(0, atMost);
}

/** The kind of a pasted credential and where it leads; null if the text has none. */
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
 * What the palette offers for a text, best first: pages by their name, what the server found, and the lists that can be asked for it. For a
 * credential the places of what it identifies.
 */
export function listEntries(typed: string, pages: readonly PalettePage[], found: Found): PaletteEntry[] {
  const text = typed.trim();
  const shown = pages.map(({ path, label, icon, shortcut }) => ({
    ...{ label, kind: 'Page', path, icon },
    keys: `g ${shortcut}`,
  }));
  const isShown = ({ path }: PaletteEntry) =>
    pages.some((page) => path.split(/[?/]/)[1] === page.path.slice(1));
  const credential = findCredential(text);
  if (credential) return placesOf(credential).filter(isShown);
  const named = shown.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  if (text === '') return named;
  return [...named, ...toEntries(found), ...listsFor(text, found).filter(isShown)];
}

/** Where what a credential identifies is found. */
function placesOf({ kind, id: label, contentId }: FoundCredential): PaletteEntry[] {
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

function toEntries({ contents, viewers }: Found): PaletteEntry[] {
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

/** The lists that can be asked for a text. A UUID is a lease, or an API key, which the audit knows as an actor. */
function listsFor(label: string, { viewers }: Found): PaletteEntry[] {
  const lease = address('/leases', { lease: label });
  const isListed = viewers.some(({ viewerId }) => viewerId === label);
  const viewer = { label, kind: 'Viewer with this ID', path: viewerAddress(label), icon: 'people' as const };
  const leases = addressOf({ viewer: label });
  return [
    ...(uuid.test(label)
      ? [{ label, kind: 'Lease with this ID', path: lease, icon: 'clock' as const }]
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
