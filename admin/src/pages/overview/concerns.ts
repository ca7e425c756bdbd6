import type { Concern } from '../../api/resources.ts';
import type { Statistics } from '../../api/schema.ts';
import { toParams } from '../../state/use-address-filter.ts';

/** The pages of the dashboard where warnings can be resolved, by their codes. */
export const linksOfWarnings: Record<string, { href: string; label: string }> = {
  API_KEYS_NEVER_EXPIRE: { href: '/api-keys?filter=never-expires', label: 'Show these keys' },
};

type Facts = Pick<Statistics, 'refusedCodes' | 'warnings'>;

/** The page that helps with a concern. One about the configuration has the code of its warning. */
export function linkOfConcern({ id }: Concern, { refusedCodes, warnings }: Facts) {
  if (id === 'client errors') {
    const code = refusedCodes[0]?.code ?? '';
    return { href: `/refusals?${toParams({ code })}`, label: `Show the refusals${code && ` with ${code}`}` };
  }
  if (warnings.some(({ code }) => code === id))
    return linksOfWarnings[id] ?? { href: '/settings', label: 'Show the settings' };
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
