import type { Concern, ConfigurationWarning } from '../../api/resources.ts';

/** A page of the dashboard that helps. */
interface PageLink {
  href: string;
  label: string;
}

const links: Record<string, PageLink> = {
  API_KEYS_NEVER_EXPIRE: { href: '/api-keys?filter=never-expires', label: 'Show these keys' },
};

/** The page of the dashboard where the warning can be resolved. */
export function linkOfWarning({ code }: Pick<ConfigurationWarning, 'code'>): PageLink | undefined {
  return links[code];
}

/** Same for a concern: one about the configuration has the code of its warning. */
export function linkOfConcern({ id }: Pick<Concern, 'id'>): PageLink | undefined {
  return links[id];
}
