import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Content } from '../../api/resources.ts';
import { Card } from '../../components/card.tsx';
import { CodeBlock } from '../../components/copying.tsx';
import styles from './content.module.css';
import { encryptCommandOf, keyTagOf, keyUrlOf, readEpoch } from './key-facts.ts';

/** Where the keys of a content are, and what to write for them. */
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
          Derived with version {content.keyVersion} of the master key, which never changes for it. With epochs
          there is a key for each period of the video.
        </p>
        <TextInput
          label="Epoch"
          description="A number from 0; empty for the one key of a video without epochs."
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
          <p className={styles.label}>Line of a playlist</p>
          <CodeBlock what="EXT-X-KEY line" text={keyTagOf(keyUrl)} />
          <p className={styles.hint}>
            Without an IV, players take the number of the segment; <code>latchkey encrypt</code> writes a
            random one for each.
          </p>
        </div>
        <div className={styles.part}>
          <p className={styles.label}>Encrypt a clear HLS video with it, in the folder of Latchkey</p>
          <CodeBlock what="Encrypt command" text={encryptCommandOf(origin, content.id)} />
        </div>
      </div>
    </Card>
  );
}
