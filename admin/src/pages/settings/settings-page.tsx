import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { reading } from '../../api/api.ts';
import type { Statistics } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import cell from '../../components/cell.module.css';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FactList, NotSet } from '../../components/fact-list.tsx';
import { FilterRow, FilterToggle, SearchField, ToggleGroup } from '../../components/filters.tsx';
import { formatSize } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Section } from '../../components/section.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi } from '../../session/app-context.ts';
import {
  describeRetention,
  describeValue,
  filterVariables,
  groupVariables,
  listVariables,
  type VariableRow,
} from './variable-rows.ts';

/** The configuration of the processes. Nothing here can be changed: configuration is set where the processes are started. */
export default function SettingsPage() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    ...reading(api, '/api/v1/statistics', { query: { steps: 1, settings: true } }),
    select: ({ statistics }) => statistics,
  });
  const retry = () => void refetch();
  return (
    <>
      <PageHead title="Settings" lead="What each process works with. Secrets are never shown." />
      {data && data.missing.length > 0 && (
        <Notice title="Not all processes answered">
          Missing: {data.missing.map(({ service, address }) => `${service} ${address}`).join(', ')}.
        </Notice>
      )}
      <Section title="Processes">
        <DataTable
          label="Processes"
          columns={processColumns}
          list={{ rows: data && listProcesses(data), error, reload: retry }}
          rowId={({ service, address }) => `${service} ${address}`}
        />
      </Section>
      <Section title="Storage">
        <Card>
          <FactList facts={storageFacts(data, error ? 'Not known' : 'Loading…')} />
        </Card>
      </Section>
      <Variables data={data} error={error} onRetry={retry} />
    </>
  );
}

type ProcessRow = ReturnType<typeof listProcesses>[number];

function listProcesses({ at, processes, settings }: Statistics) {
  return processes.map((process) => {
    const { masterKeys = [], keySetAgeMs = null } =
      settings?.processes.find(
        ({ service, address }) => service === process.service && address === process.address,
      ) ?? {};
    const keySetReadAt = keySetAgeMs === null ? null : new Date(Date.parse(at) - keySetAgeMs).toISOString();
    return { ...process, masterKeys, keySetReadAt };
  });
}

const processColumns: readonly Column<ProcessRow>[] = [
  {
    header: 'Process',
    cell: ({ service, address }) => (
      <span className={cell.stack}>
        <strong>{service}</strong>
        <small>{address}</small>
      </span>
    ),
  },
  { header: 'Version', width: '8rem', cell: ({ version }) => version ?? <NotSet /> },
  { header: 'Started', width: '9rem', cell: ({ startedAt }) => <RelativeTime at={startedAt} isFocusable /> },
  {
    header: 'Master keys',
    width: '16rem',
    cell: ({ masterKeys }) =>
      masterKeys.length === 0 ? (
        <NotSet />
      ) : (
        <span className={cell.stack}>
          {masterKeys.map(({ version, fingerprint }) => (
            <span key={version}>
              {version}: <code>{fingerprint}</code>
            </span>
          ))}
        </span>
      ),
  },
  {
    header: 'Key set read',
    width: '9rem',
    cell: ({ keySetReadAt }) =>
      keySetReadAt === null ? <NotSet /> : <RelativeTime at={keySetReadAt} isFocusable />,
  },
];

const minutesOfUsage = 'USAGE_MINUTES_KEEP_HOURS';
const retentions = [
  ['Audit of acts', 'AUDIT_KEEP_ACTS_DAYS', 'day', 'Always'],
  ['Audit of refusals', 'AUDIT_KEEP_REFUSALS_DAYS', 'day', 'Always'],
  ['Audit of strangers', 'AUDIT_KEEP_STRANGERS_DAYS', 'day', 'Always'],
  ['Deliveries of webhooks', 'WEBHOOK_DELIVERIES_KEEP_DAYS', 'day', 'Not kept'],
  ['Ended leases', 'LEASES_KEEP_HOURS', 'hour', 'Not kept'],
  ['Usage by hours', 'USAGE_KEEP_DAYS', 'day', 'Not kept'],
  ['Usage by minutes', minutesOfUsage, 'hour', 'Not kept'],
] as const;

/** @param unread the text in place of values before an answer */
function storageFacts(data: Statistics | undefined, unread: string) {
  const database = data?.settings?.database;
  // The server answers without it while the database cannot be read.
  const missing = data ? 'Not known' : unread;
  const variables = data?.settings?.processes.flatMap((process) => process.variables) ?? [];
  const find = (name: string) => variables.find((variable) => variable.name === name);
  const keepsUsage = find('USAGE_KEEP_DAYS')?.value !== '0';
  const kept = retentions.flatMap(([label, name, unit, zero]) => {
    const setting = find(name);
    if (!setting) return [];
    const isKept = keepsUsage || name !== minutesOfUsage;
    return [[label, isKept ? describeRetention(setting, unit, zero) : zero] as const];
  });
  return {
    Database: database?.kind ?? missing,
    Size: database ? formatSize(database.bytes) : missing,
    ...Object.fromEntries(kept),
  };
}

const variableColumns: readonly Column<VariableRow>[] = [
  {
    header: 'Variable',
    cell: ({ name, about }) => (
      <span className={cell.stack}>
        <code>{name}</code>
        <small>{about}</small>
      </span>
    ),
  },
  {
    header: 'Value',
    width: '18rem',
    cell: (row) => <span className={cell.stack}>{describeValue(row)}</span>,
  },
  {
    header: 'Processes',
    width: '14rem',
    cell: ({ services }) =>
      services.length === 0 ? (
        'All'
      ) : (
        <span className={cell.stack}>
          {services.map((each) => (
            <span key={each}>{each}</span>
          ))}
        </span>
      ),
  },
];

interface VariablesProps {
  data: Statistics | undefined;
  error: unknown;
  onRetry: () => void;
}

function Variables({ data, error, onRetry }: VariablesProps) {
  const [text, setText] = useState('');
  const [isSetOnly, setSetOnly] = useState(false);
  const all = useMemo(() => data && listVariables(data.settings?.processes ?? []), [data]);
  const groups = all && groupVariables(filterVariables(all, { text, isSetOnly }));
  return (
    <Section title="Variables">
      <FilterRow>
        <SearchField label="Variable or meaning" value={text} onChange={setText} />
        <ToggleGroup label="Filters">
          <FilterToggle isOn={isSetOnly} onToggle={setSetOnly}>
            Set only
          </FilterToggle>
        </ToggleGroup>
      </FilterRow>
      {groups?.length === 0 && <EmptyState icon="settings" title="No matching variables" />}
      {(groups ?? [{ section: 'Variables', rows: undefined }]).map(({ section, rows }) => (
        <Box key={section} mb="1.25rem">
          {rows && (
            <Box component="h3" mb="0.5rem" fz="md">
              {section}
            </Box>
          )}
          <DataTable
            label={section}
            columns={variableColumns}
            list={{ rows, error, reload: onRetry }}
            rowId={({ name, services }) => `${name} ${services.join()}`}
          />
        </Box>
      ))}
    </Section>
  );
}
