import type { Concern, ConfigurationWarning } from '../../api/resources.ts';
import type { Statistics } from '../../api/schema.ts';
import { toParams } from '../../state/use-address-filter.ts';

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

type Facts = Pick<Statistics, 'refusedCodes' | 'warnings'>;

/** Same for a concern: one about the configuration has the code of its warning. */
export function linkOfConcern({ id }: Pick<Concern, 'id'>, facts: Facts): PageLink | undefined {
  if (id === 'client errors') {
    const code = facts.refusedCodes[0]?.code ?? '';
    return { href: `/refusals?${toParams({ code })}`, label: `Show the refusals${code && ` with ${code}`}` };
  }
  if (facts.warnings.some(({ code }) => code === id))
    return links[id] ?? { href: '/settings', label: 'Show the settings' };
  return undefined;
}

/** The open problems that a page is about. */
export interface Problems {
  count: number;
  isUrgent: boolean;
}

/** By the path of the page. The Overview lists all of them. */
export function countProblems({
  concerns,
  ...facts
}: Facts & Pick<Statistics, 'concerns'>): Map<string, Problems> {
  const counts = new Map<string, Problems>();
  for (const concern of concerns) {
    const href = linkOfConcern(concern, facts)?.href;
    for (const path of ['/', ...(href ? [`/${href.split(/[?/]/)[1]}`] : [])]) {
      const { count, isUrgent } = counts.get(path) ?? { count: 0, isUrgent: false };
      counts.set(path, { count: count + 1, isUrgent: isUrgent || concern.severity === 'bad' });
    }
  }
  return counts;
}
