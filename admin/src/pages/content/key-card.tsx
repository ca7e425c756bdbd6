import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Content } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { CodeBlock } from '../../components/copying.tsx';
import styles from './content.module.css';
import { encryptCommandOf, keyTagOf, keyUrlOf, readEpoch } from './key-facts.ts';

/** The key URL of a content, with playlist line and command. */
export function KeyCard({ content, keyEndpoint }: { content: Content; keyEndpoint: string }) {
  const [written, setWritten] = useState('');
  const epoch = readEpoch(written);
  const { origin } = window.location;
  const keyUrl = keyUrlOf(keyEndpoint, origin, epoch ?? null);
  return (
    <Card>
      <h2 className={styles.heading}>Keys</h2>
      <div className={styles.stack}>
        <p>
          Derived from version {content.keyVersion} of the master key. The version of a content never changes.
          With epochs, each period of the video has its own key.
        </p>
        <TextInput
          label="Epoch"
          description="A number from 0. Leave it empty for a video without epochs."
          inputMode="numeric"
          classNames={{ wrapper: styles.epoch ?? '' }}
          value={written}
          onChange={(event) => setWritten(event.currentTarget.value)}
          error={epoch === undefined ? 'From 0 to 4294967295' : undefined}
        />
        <div className={styles.part}>
          <p className={styles.label}>Key URL</p>
          <CodeBlock what="Key URL" text={keyUrl} />
        </div>
        <div className={styles.part}>
          <p className={styles.label}>Playlist line</p>
          <CodeBlock what="EXT-X-KEY line" text={keyTagOf(keyUrl)} />
          <p className={styles.hint}>
            Without an IV, players use the segment number. <code>latchkey encrypt</code> writes a random IV
            for each segment.
          </p>
        </div>
        <div className={styles.part}>
          <p className={styles.label}>Encrypt a clear HLS video, in the Latchkey folder</p>
          <CodeBlock what="Encrypt command" text={encryptCommandOf(origin, content.id)} />
        </div>
      </div>
    </Card>
  );
}
