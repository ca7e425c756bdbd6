import type { Statistics } from '../../api/schema.ts';
import { countOf } from '../../components/format-numbers.ts';

type ProcessSettings = NonNullable<Statistics['settings']>['processes'][number];
type ShownSetting = ProcessSettings['variables'][number];

/** A variable as some of the processes have it. */
export interface VariableRow extends ShownSetting {
  /** The services that have it so; empty where all do that know the variable. */
  services: readonly string[];
}

/**
 * One row for each variable by its name, and several where processes have it differently: an operator has then set it in one place and
 * forgotten another.
 */
export function listVariables(processes: readonly ProcessSettings[]): VariableRow[] {
  const rows = new Map<string, VariableRow & { services: string[] }>();
  for (const { service, address, variables } of processes)
    for (const variable of variables) {
      const form = `${variable.name} ${variable.from} ${variable.value}`;
      const row = rows.get(form) ?? { ...variable, services: [] };
      rows.set(form, row);
      row.services.push(`${service} ${address}`);
    }
  return [...Map.groupBy(rows.values(), ({ name }) => name)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, forms]) => (forms.length === 1 ? forms.map((row) => ({ ...row, services: [] })) : forms));
}

/** @param isSetOnly leaves out what has its default */
export function filterVariables(
  rows: readonly VariableRow[],
  { text, isSetOnly }: { text: string; isSetOnly: boolean },
): VariableRow[] {
  const words = text.trim().toLowerCase();
  return rows.filter(
    ({ name, about, from }) =>
      (!isSetOnly || from !== 'default') && `${name} ${about}`.toLowerCase().includes(words),
  );
}

/** The sections of `docs/operate/configuration.md` in their order, with the beginnings of the names of their variables. */
const sections: readonly [section: string, beginnings: readonly string[]][] = [
  ['Process', ['PORT', 'HOST', 'NODE_ENV', 'SHUTDOWN_', 'OVERLOAD_']],
  ['Master key', ['MASTER_KEY_', 'SALT_', 'PKCS11_', 'AWS_KMS_', 'VAULT_']],
  ['Database', ['SQLITE_', 'DATABASE_', 'MIGRATE_']],
  ['Access to the API', ['ADMIN_', 'SETUP_']],
  ['Viewer tokens', ['AUTH_JW', 'AUTH_ISSUERS', 'VIEWER_', 'ALLOW_']],
  ['Content and leases', ['CONTENT_MODE', 'PLAYLIST_', 'LEASE_', 'SESSION_', 'AUTHORITY_']],
  ['Clients, proxies and the dashboard', ['TRUST_PROXY', 'CORS_', 'PUBLIC_', 'DASHBOARD_', 'GRAFANA_']],
  ['Rate limits', ['RATE_LIMIT']],
  ['Uploads', ['ENABLE_PRESIGN', 'S3_', 'AWS_']],
  ['Records and webhooks', ['AUDIT_', 'USAGE_', 'WEBHOOK_', 'LEASES_KEEP_', 'CHANGES_']],
  ['Logs, metrics and traces', ['LOG_', 'METRICS_', 'OTEL_', 'TRUST_TRACEPARENT']],
  // All others.
  ['Separate services', ['']],
];

const sectionOf = ({ name }: VariableRow) =>
  sections.find(([, beginnings]) => beginnings.some((beginning) => name.startsWith(beginning)))?.[0];

/** The rows by their sections, first what does not have its default. Sections without rows are left out. */
export function groupVariables(rows: readonly VariableRow[]) {
  const sorted = [...rows].sort((a, b) => Number(a.from === 'default') - Number(b.from === 'default'));
  const bySection = Map.groupBy(sorted, sectionOf);
  return sections
    .map(([section]) => ({ section, rows: bySection.get(section) ?? [] }))
    .filter((group) => group.rows.length > 0);
}

/** The value in words. */
export function describeValue({ from, value }: Pick<ShownSetting, 'from' | 'value'>): string {
  if (from === 'file') return 'In a file, not shown';
  return value ?? 'Set, not shown';
}

/**
 * How long something is kept, in words.
 *
 * @param zero what 0 means
 */
export function describeRetention(
  setting: Pick<ShownSetting, 'from' | 'value'>,
  unit: 'day' | 'hour',
  zero: string,
): string {
  const words = describeValue(setting).replace('default ', '');
  if (!/^\d+$/.test(words)) return words;
  return words === '0' ? zero : countOf(Number(words), unit);
}
