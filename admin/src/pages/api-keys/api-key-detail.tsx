import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { reading } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { ApiKey } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import { CopyableValue } from '../../components/copying.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { BackLink, Section } from '../../components/section.tsx';
import { RelativeTime, timeColumn } from '../../components/times.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { scopeMeanings } from '../../session/permissions.ts';
import { useNow } from '../../state/time.ts';
import { toParams } from '../../state/use-address-filter.ts';
import { useLiveRead, useLiveRefresh } from '../../state/use-events.ts';
import { nameOfAction } from '../audit/actions.ts';
import { HistorySection } from '../audit/history.tsx';
import { UsageCard } from '../usage/usage-charts.tsx';
import { ApiKeyStatus, type OpenDialog } from './api-key-columns.tsx';
import { isUsable } from './api-key-rules.ts';
import styles from './api-keys.module.css';
import { CurrentDialog } from './key-dialogs.tsx';
import { listAddresses, type UsedAddress } from './last-addresses.ts';

/** One API key at its own address: what it may do, what it asked for, from where, and what was done by it and to it. */
export function ApiKeyDetail({ id }: { id: string }) {
  const { data, error, refetch } = useLiveRead('/api/v1/api-keys/{id}', id, 'api-key');
  const isUnknown = error instanceof ApiError && error.code === 'API_KEY_NOT_FOUND';
  return (
    <>
      <BackLink href="/api-keys">All API keys</BackLink>
      {!error && !data && <PageSkeleton title="API key" />}
      {!error && data && <ApiKeySheet apiKey={data.api_key} />}
      {error && (
        <>
          <PageHead title={isUnknown ? 'No such API key' : 'API key'} />
          {isUnknown ? (
            <EmptyState icon="search" title="No API key has this ID">
              <code>{id}</code> is the ID of no stored key. ADMIN_API_KEY has none.
            </EmptyState>
          ) : (
            <Card>
              <ErrorState error={error} onRetry={() => refetch()} />
            </Card>
          )}
        </>
      )}
    </>
  );
}

function ApiKeySheet({ apiKey }: { apiKey: ApiKey }) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const { id, name } = apiKey;
  const now = useNow();
  return (
    <>
      <PageHead
        title={name}
        actions={
          isUsable(apiKey, now) && (
            <>
              <Button variant="default" onClick={() => setDialog({ kind: 'rotate', apiKey })}>
                Rotate…
              </Button>
              <Button color="bad" variant="light" onClick={() => setDialog({ kind: 'revoke', apiKey })}>
                Revoke…
              </Button>
            </>
          )
        }
      />
      <ApiKeyFacts apiKey={apiKey} />
      <UnlimitedOnly>
        <UsageCard by="api-key" id={id} />
        <Addresses id={id} />
        <HistorySection
          target={id}
          link="All records on this key"
          questions={[{ target: id }, { actor: id }]}
          about="on or by this key is in the audit"
        />
      </UnlimitedOnly>
      {dialog && <CurrentDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

function ApiKeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { id, keyPrefix, scope, contents, createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey;
  const isOwn = useCurrentApiKey().id === id;
  return (
    <Card>
      <FactList
        facts={{
          Status: (
            <>
              <ApiKeyStatus apiKey={apiKey} /> {isOwn && <span className={styles.own}>your current key</span>}
            </>
          ),
          Scope: `${scope}. ${scopeMeanings[scope]}`,
          Contents: contents ? <OutsideText text={contents.join(', ')} /> : 'all',
          Prefix: <CopyableValue text={keyPrefix} what="key prefix" />,
          ID: <CopyableValue text={id} what="ID" />,
          Created: <RelativeTime at={createdAt} isFocusable />,
          'Last used': <RelativeTime at={lastUsedAt} isFocusable />,
          Expires: <RelativeTime at={expiresAt} isFocusable />,
          Revoked: revokedAt && <RelativeTime at={revokedAt} isFocusable />,
        }}
      />
    </Card>
  );
}

/** The records of a key that its addresses are taken from: the latest. */
const lookedAt = 200;

const addressColumns: Column<UsedAddress>[] = [
  { header: 'Address', cell: ({ clientIp }) => <OutsideText text={clientIp} /> },
  { header: 'Latest', width: '16rem', cell: ({ latest }) => nameOfAction(latest.action) },
  { header: 'Records', width: '7rem', cell: ({ count }) => formatCount(count) },
  timeColumn('When', '9rem', ({ latest }) => latest.at),
];

function Addresses({ id }: { id: string }) {
  const api = useApi();
  const { data, error, refetch } = useQuery(
    reading(api, '/api/v1/audit', { query: { actor: id, limit: lookedAt } }),
  );
  useLiveRefresh(
    () => void refetch(),
    ({ topic }) => topic === 'audit' || topic === 'missed',
  );
  return (
    <Section
      title="Last addresses"
      aside={<Link href={`/audit?${toParams({ actor: id })}`}>All records by this key</Link>}
    >
      <DataTable
        label="Last addresses of this key"
        columns={addressColumns}
        list={{
          rows: error ? undefined : data && listAddresses(data.audit),
          error,
          reload: () => void refetch(),
        }}
        rowId={({ clientIp }) => clientIp}
        empty={
          <EmptyState icon="list" title="No address in the audit">
            The audit has the addresses of management and of what was refused. The addresses of requests for
            keys are in the log of the server alone.
          </EmptyState>
        }
      />
    </Section>
  );
}
