import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Content } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { CodeBlock, CopyableValue } from '../../components/copying.tsx';
import { FactList, NotTold } from '../../components/fact-list.tsx';
import { formatCount, formatSize } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { type Act, ActDialog } from './act-dialog.tsx';
import styles from './content.module.css';
import { StatusBadge } from './content-columns.tsx';
import { writeMetadata } from './content-form.ts';
import { ContentLeases } from './content-leases.tsx';
import { KeyCard } from './key-card.tsx';
import { useManagement } from './use-management.ts';

/** Everything about one content, and what can be done with it. */
export function ContentSheet({ content, keyEndpoint }: { content: Content; keyEndpoint: string }) {
  const { mayManage, enable } = useManagement();
  const [act, setAct] = useState<Act | null>(null);
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
                onClick={() => setAct({ kind: 'edit', content })}
              >
                Edit…
              </Button>
              {isActive ? (
                <Button variant="light" color="bad" onClick={() => setAct({ kind: 'disable', content })}>
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
            Its keys answer 404, for every viewer. Enabled again, it has the same keys as before.
          </Notice>
        </div>
      )}
      <div className={styles.columns}>
        <KeyCard content={content} keyEndpoint={keyEndpoint} />
        <ContentFacts content={content} />
      </div>
      {mayManage && <ContentLeases contentId={content.id} />}
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}

/** What was said of a content. */
function ContentFacts({ content }: { content: Content }) {
  const { id, status, sizeBytes, manifestKey, metadata, createdAt, updatedAt } = content;
  const json = writeMetadata(metadata);
  return (
    <Card>
      <h2 className={styles.heading}>About it</h2>
      <FactList
        facts={[
          ['Status', <StatusBadge key="status" status={status} />],
          ['Id', <CopyableValue key="id" text={id} what="Id" />],
          ['Size', sizeBytes === null ? <NotTold key="size" /> : describeSize(sizeBytes)],
          [
            'Manifest',
            manifestKey === null ? (
              <NotTold key="manifest" />
            ) : (
              <CopyableValue key="manifest" text={manifestKey} what="Manifest" />
            ),
          ],
          ['Registered', <RelativeTime key="created" at={createdAt} isFocusable />],
          ['Changed', <RelativeTime key="updated" at={updatedAt} isFocusable />],
          ['Metadata', json === '' ? <span className={styles.none}>none</span> : 'as below'],
        ]}
      />
      {json !== '' && <CodeBlock what="Metadata" text={json} />}
    </Card>
  );
}

/** As people say it, and exactly where that is something else. */
function describeSize(octets: number): string {
  const size = formatSize(octets);
  return octets < 1_000 ? size : `${size} (${formatCount(octets)} bytes)`;
}
