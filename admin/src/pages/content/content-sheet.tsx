import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Content } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { CodeBlock, CopyableValue } from '../../components/copying.tsx';
import { FactList, NotSet } from '../../components/fact-list.tsx';
import { formatCount, formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RelativeTime } from '../../components/times.tsx';
import styles from './content.module.css';
import { StatusBadge } from './content-columns.tsx';
import { writeMetadata } from './content-form.ts';
import { ContentLeases } from './content-leases.tsx';
import { CurrentDialog, type OpenDialog } from './current-dialog.tsx';
import { KeyCard } from './key-card.tsx';
import { useManagement } from './use-management.ts';

/** All details of one content, and its actions. */
export function ContentSheet({ content, keyEndpoint }: { content: Content; keyEndpoint: string }) {
  const { mayManage, enable } = useManagement();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const isActive = content.status === 'active';
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
                onClick={() => setDialog({ kind: 'edit', content })}
              >
                Edit…
              </Button>
              {isActive ? (
                <Button variant="light" color="bad" onClick={() => setDialog({ kind: 'disable', content })}>
                  Disable…
                </Button>
              ) : (
                <Button onClick={() => enable.mutate(content.id)} loading={enable.isPending}>
                  Enable
                </Button>
              )}
            </>
          )
        }
      />
      {!isActive && (
        <div className={styles.notice}>
          <Notice kind="warning" title="This content is disabled">
            Key requests get 404 for every viewer. If you enable it again, it has the same keys as before.
          </Notice>
        </div>
      )}
      <div className={styles.columns}>
        <KeyCard content={content} keyEndpoint={keyEndpoint} />
        <ContentFacts content={content} />
      </div>
      {mayManage && <ContentLeases contentId={content.id} />}
      {dialog && <CurrentDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

/** The stored fields of a content. */
function ContentFacts({ content }: { content: Content }) {
  const { id, status, sizeBytes, manifestKey, metadata, createdAt, updatedAt } = content;
  const json = writeMetadata(metadata);
  return (
    <Card>
      <h2 className={styles.heading}>Details</h2>
      <FactList
        facts={[
          ['Status', <StatusBadge key="status" status={status} />],
          ['ID', <CopyableValue key="id" text={id} what="ID" />],
          ['Size', sizeBytes === null ? <NotSet key="size" /> : describeSize(sizeBytes)],
          [
            'Manifest',
            manifestKey === null ? (
              <NotSet key="manifest" />
            ) : (
              <CopyableValue key="manifest" text={manifestKey} what="Manifest" />
            ),
          ],
          ['Registered', <RelativeTime key="created" at={createdAt} isFocusable />],
          ['Changed', <RelativeTime key="updated" at={updatedAt} isFocusable />],
          ['Metadata', json === '' ? <span className={styles.none}>none</span> : 'see below'],
        ]}
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
