import { ask, processReportPath, readJson, secretHeaders } from '@latchkey/shared/internal';
import { type ProcessReport, parseProcessReport } from '@latchkey/shared/statistics';
import type { Member, Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from '../route-table.ts';
import type { Statistics } from './statistics-schema.ts';

/** A report takes milliseconds. The dashboard does not wait longer for a process that is stuck. */
const answerTimeoutMs = 500;

export interface GatheredReport {
  service: ServiceName;
  /** Host and port. */
  address: string;
  report: ProcessReport;
}

/** The reports of every process of every service that answers in time. */
export async function gatherReports(
  upstreams: Readonly<Record<ServiceName, Upstream>>,
  secret: string,
  since: number,
): Promise<{ reports: GatheredReport[]; missing: Statistics['missing'] }> {
  const reports: GatheredReport[] = [];
  const missing: Statistics['missing'] = [];
  const question = {
    path: processReportPath(since),
    headers: secretHeaders(secret),
    limitMs: answerTimeoutMs,
  };
  const gather = async (service: ServiceName, member: Member) => {
    const address = new URL(member.origin).host;
    try {
      const report = parseProcessReport(readJson(await ask(member, question)));
      reports.push({ service, address, report });
    } catch {
      // Readiness reports a service that does not answer. Here it is only left out.
      missing.push({ service, address });
    }
  };
  await Promise.all(
    serviceNames.flatMap((service) => {
      const members = upstreams[service].all();
      if (members.length === 0) missing.push({ service, address: 'no address is known' });
      return members.map((member) => gather(service, member));
    }),
  );
  const byName = (a: { service: string; address: string }, b: { service: string; address: string }) =>
    `${a.service} ${a.address}`.localeCompare(`${b.service} ${b.address}`);
  return { reports: reports.sort(byName), missing: missing.sort(byName) };
}
