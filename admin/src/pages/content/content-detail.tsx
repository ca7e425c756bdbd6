import { Button, Stack, TextInput } from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import type { Content } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { CodeBlock, CopyableValue } from '../../components/copying.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FactList, NotSet } from '../../components/fact-list.tsx';
import { formatCount, formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { BackLink } from '../../components/section.tsx';
import { encryptSnippet, keyTagOf, keyUrlOf, readEpoch } from '../../components/snippets.ts';
import { RelativeTime } from '../../components/times.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { useApp } from '../../session/app-context.ts';
import { useLiveRead } from '../../state/use-events.ts';
import { HistorySection } from '../audit/history.tsx';
import { UsageCard } from '../usage/usage-charts.tsx';
import styles from './content.module.css';
import { CurrentDialog, type OpenDialog } from './content-dialogs.tsx';
import { writeMetadata } from './content-form.ts';
import { ContentLeases } from './content-leases.tsx';
import { KeyPeriodsCard } from './key-periods-card.tsx';
import { useManagement } from './use-management.ts';

/** One content at its own address. */
export function ContentDetail({ id }: { id: string }) {
  const { data, error, refetch } = useLiveRead('/api/v1/content/{id}', id, 'content');
  const isUnknown = error instanceof ApiError && error.code === 'CONTENT_NOT_FOUND';
  return (
    <>
      <BackLink href="/content">All content</BackLink>
      {!error && !data && <PageSkeleton title="Content" />}
      {!error && data && <ContentSheet content={data.content} keyEndpoint={data.key_endpoint} />}
      {error && <PageHead title={isUnknown ? 'No such content' : 'Content'} />}
      {isUnknown && (
        <EmptyState
          icon="search"
          title="No content has this ID"
          action={<Link href="/content">All content</Link>}
        >
          <code>{id}</code> is not registered. IDs are case-sensitive.
        </EmptyState>
      )}
      {error && !isUnknown && (
        <Card>
          <ErrorState error={error} onRetry={() => refetch()} />
        </Card>
      )}
    </>
  );
}

/** All details of one content, and its actions. */
function ContentSheet({ content, keyEndpoint }: { content: Content; keyEndpoint: string }) {
  const { mayManage, enable } = useManagement();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const isActive = content.status === 'active';
  const isEnabling = useRef(false);
  // The button "Enable" loses the focus while it is disabled. The button that takes its place gets it.
  const takeFocus = useCallback((disable: HTMLButtonElement | null) => {
    if (isEnabling.current && document.activeElement === document.body) disable?.focus();
    isEnabling.current = false;
  }, []);
  return (
    <>
      <PageHead
        title={content.name}
        actions={
          mayManage && (
            <>
              <Button
                variant="default"
                leftSection={<Icon name="pencil" size={17} />}
                onClick={() => setDialog({ kind: 'form', content })}
              >
                Edit…
              </Button>
              {isActive ? (
                <Button
                  ref={takeFocus}
                  variant="light"
                  color="bad"
                  onClick={() => setDialog({ kind: 'disable', content })}
                >
                  Disable…
                </Button>
              ) : (
                <Button
                  onClick={() => {
                    isEnabling.current = true;
                    enable.mutate(content.id);
                  }}
                  loading={enable.isPending}
                >
                  Enable
                </Button>
              )}
            </>
          )
        }
      />
      {!isActive && (
        <Notice kind="warning" title="This content is disabled">
          Key requests get 404 for every viewer. If you enable it again, it has the same keys as before.
        </Notice>
      )}
      <div className={`columns ${styles.cards}`}>
        <KeyCard content={content} keyEndpoint={keyEndpoint} />
        <div>
          <KeyPeriodsCard periods={content.keyPeriods} />
          <ContentFacts content={content} />
        </div>
      </div>
      {mayManage && <UsageCard by="content" id={content.id} />}
      {mayManage && <ContentLeases contentId={content.id} />}
      <UnlimitedOnly>
        <HistorySection
          target={content.id}
          link="All records of this content"
          questions={[{ target: content.id }, { target: `content:${content.id}` }]}
          about="on this content is in the audit"
        />
      </UnlimitedOnly>
      {dialog && <CurrentDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

/** The stored fields of a content. */
function ContentFacts({ content }: { content: Content }) {
  const { id, status, sizeBytes, manifestKey, playlistUrl, metadata, createdAt, updatedAt } = content;
  const json = writeMetadata(metadata);
  return (
    <Card title="Details">
      <FactList
        facts={{
          Status: <StatusBadge status={status} />,
          ID: <CopyableValue text={id} what="ID" />,
          Size: sizeBytes === null ? <NotSet /> : describeSize(sizeBytes),
          Manifest: manifestKey === null ? <NotSet /> : <CopyableValue text={manifestKey} what="Manifest" />,
          'Playlist URL': playlistUrl ? <CopyableValue text={playlistUrl} what="Playlist URL" /> : <NotSet />,
          Registered: <RelativeTime at={createdAt} isFocusable />,
          Changed: <RelativeTime at={updatedAt} isFocusable />,
          Metadata: json === '' ? <span className="quiet">none</span> : 'see below',
        }}
      />
      {json !== '' && <CodeBlock what="Metadata" text={json} />}
    </Card>
  );
}

/** In a readable unit, followed by the exact number of bytes if it differs. */
function describeSize(bytes: number): string {
  const size = formatSize(bytes);
  return bytes < 1_000 ? size : `${size} (${formatCount(bytes)} bytes)`;
}

/** The key URL of a content, with playlist line and command. */
function KeyCard({ content, keyEndpoint }: { content: Content; keyEndpoint: string }) {
  // Content with key periods has no key without an epoch.
  const [written, setWritten] = useState(content.keyPeriods ? '0' : '');
  const epoch = readEpoch(written);
  const { serverUrl } = useApp();
  const keyUrl = keyUrlOf(keyEndpoint, serverUrl, epoch ?? null);
  const hasPeriods = Boolean(content.keyPeriods);
  const isLive = content.keyPeriods?.mode === 'clock';
  return (
    <Card title="Keys">
      <Stack gap="1.125rem">
        <p>
          Derived from version {content.keyVersion} of the master key. The version of a content never changes.
          With epochs, each period of the video has its own key.
        </p>
        <TextInput
          label="Epoch"
          description={
            hasPeriods
              ? 'A number from 0. This content has key periods: a key URL without an epoch answers 404.'
              : 'A number from 0. Leave it empty for a video without epochs.'
          }
          inputMode="numeric"
          styles={{ wrapper: { maxWidth: '12rem' } }}
          value={written}
          onChange={(event) => setWritten(event.currentTarget.value)}
          error={epoch === undefined ? 'From 0 to 4294967295' : undefined}
        />
        <Stack gap="0.375rem">
          <p className="note">Key URL</p>
          <CodeBlock what="Key URL" text={keyUrl} />
        </Stack>
        <Stack gap="0.375rem">
          <p className="note">Playlist line</p>
          <CodeBlock what="EXT-X-KEY line" text={keyTagOf(keyUrl)} />
          <small>
            Without an IV, players use the segment number. <code>latchkey encrypt</code> writes a random IV
            for each segment.
          </small>
        </Stack>
        <Stack gap="0.375rem">
          <p className="note">Encrypt a clear HLS {isLive ? 'channel' : 'video'}, in the Latchkey folder</p>
          <CodeBlock
            what="Encrypt command"
            text={`export LATCHKEY_API_KEY=lk_…\n${encryptSnippet({ serverUrl, contentId: content.id }, isLive)}`}
          />
        </Stack>
      </Stack>
    </Card>
  );
}
