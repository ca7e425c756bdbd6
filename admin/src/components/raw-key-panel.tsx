import { Button, Checkbox } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useCopy } from './copying.tsx';
import { downloadText } from './download-text.ts';
import { Icon } from './icon.tsx';
import styles from './raw-key-panel.module.css';

interface RawKeyPanelProps {
  rawKey: string;
  /** File name without extension. */
  fileName: string;
  /** Label of the button that continues once the key is stored. */
  action: string;
  onStored: () => void;
}

/** A new key, shown only once: to copy or download. The button works after the admin confirms that the key is stored. */
export function RawKeyPanel({ rawKey, fileName, action, onStored }: RawKeyPanelProps) {
  const { isCopied, copy } = useCopy();
  const [isStored, setStored] = useState(false);
  useEffect(() => {
    if (isStored) return;
    // The browser asks for confirmation, in its own words, before it leaves the page.
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', hold);
    return () => window.removeEventListener('beforeunload', hold);
  }, [isStored]);
  return (
    <div className={styles.panel}>
      <code className={styles.key} data-testid="raw-key">
        {rawKey}
      </code>
      <div className={styles.buttons}>
        <Button
          variant="default"
          leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={17} />}
          onClick={() => copy(rawKey, 'Key')}
          data-autofocus
        >
          Copy
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={17} />}
          onClick={() => downloadText(`${fileName}.txt`, `${rawKey}\n`)}
        >
          Download
        </Button>
      </div>
      <div className={styles.gate}>
        <Checkbox
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
          label="I have stored this key. It will not be shown again."
        />
        <Button disabled={!isStored} onClick={onStored}>
          {action}
        </Button>
      </div>
    </div>
  );
}
