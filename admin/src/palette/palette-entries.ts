import type { IconName } from '../components/icon.tsx';
import { addressOf } from '../pages/leases/lease-filter.ts';
import { viewerAddress } from '../pages/viewers/viewer-address.ts';

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
/** An API key or a token. It must not get into an address, which the browser's history keeps. */
const credential = /^lk_|^eyJ|^[\w-]+\.[\w-]+\.[\w-]{16,}$/;

/** Contents that begin with the text, then those that have it elsewhere, each once. */
export function mergeFound<Content extends { id: string }>(
  beginning: readonly Content[],
  containing: readonly Content[],
  atMost: number,
): Content[] {
  const byId = new Map([...beginning, ...containing].map((content) => [content.id, content]));
  return [...byId.values()].slice(0, atMost);
}

/** Whether the text is a credential rather than a name or an ID. */
export function isCredential(text: string): boolean {
  return credential.test(text.trim());
}

/**
 * What the palette offers for a text, best first: pages by their name, what the server found, and the lists that can be asked for it. For a
 * credential only the page that takes one.
 */
export function listEntries(typed: string, pages: readonly PalettePage[], found: Found): PaletteEntry[] {
  const text = typed.trim();
  const shown = pages.map(({ path, label, icon, shortcut }) => ({
    ...{ label, kind: 'Page', path, icon },
    keys: `g ${shortcut}`,
  }));
  if (isCredential(text)) return shown.filter(({ path }) => path === '/refusals');
  const named = shown.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  if (text === '') return named;
  const lists = listsFor(text, found).filter(({ path }) =>
    pages.some((page) => page.path === path.split('?')[0]),
  );
  return [...named, ...toEntries(found), ...lists];
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
  const leases = addressOf({ viewerId: label });
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
