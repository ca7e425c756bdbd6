import type { Content } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyableValue } from '../../components/copyable-value.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-count.ts';
import { formatSize } from '../../components/format-size.ts';
import { NotTold } from '../../components/not-told.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import styles from './content.module.css';
import { writeMetadata } from './metadata.ts';
import { StatusBadge } from './status-badge.tsx';

/** What was said of a content. */
export function ContentFacts({ content }: { content: Content }) {
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
