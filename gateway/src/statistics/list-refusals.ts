import type { ReportingProcess } from './process-figures.ts';
import type { Refusal } from './statistics-schema.ts';

/**
 * The latest refusals of all processes, newest first. A request that was forwarded is known to the gateway and to the service that refused it:
 * the service says more of it, and is named.
 *
 * @param processes the one that forwards first
 */
export function listRefusals(processes: readonly ReportingProcess[], limit: number): Refusal[] {
  const byRequest = new Map<string, Refusal>();
  for (const { service, address, report } of processes)
    for (const refused of report.refusals ?? []) {
      const { issuedAt, ...others } = refused;
      const { requestId, code, contentId, epoch } = others;
      byRequest.set(JSON.stringify([requestId, code, contentId, epoch]), {
        ...others,
        at: new Date(refused.at).toISOString(),
        ...(issuedAt !== undefined && {
          issuedAt: issuedAt === null ? null : new Date(issuedAt).toISOString(),
        }),
        process: `${service} ${address}`,
      });
    }
  return [...byRequest.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
}
