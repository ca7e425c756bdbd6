import { Button, Checkbox, Flex } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { useCopy } from './copying.tsx';
import { Dialog } from './dialog.tsx';
import { downloadBlob, toFileName } from './download-text.ts';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { OutsideText } from './outside-text.tsx';
import styles from './raw-key-panel.module.css';

/** Why the server cannot show it again. */
const reasons = {
  'api-key': 'The server stores a hash of it and cannot show it again.',
  webhook: 'It signs every message. The receiver needs it to check them.',
} as const;

/**
 * Shows a new key or secret once, if there is one. It closes only after the admin confirms that it is stored. It is outside of the pages, so the
 * back button does not remove it.
 */
export function IssuedKey() {
  const { issuedKey } = useApp();
  const shown = useStore(issuedKey);
  if (!shown) return null;
  const { kind, name, raw, note } = shown;
  const onClose = () => issuedKey.set(null);
  const isKey = kind === 'api-key';
  return (
    <Dialog
      title={isKey ? 'Store your new key' : 'Store the secret of the webhook'}
      onClose={onClose}
      isClosable={false}
      width="36rem"
    >
      <p>
        {isKey ? 'The key' : 'The secret of'} <OutsideText text={name} /> is shown only now. {reasons[kind]}
      </p>
      {note && <Notice>{note}</Notice>}
      <RawKeyPanel
        rawKey={raw}
        noun={isKey ? 'key' : 'secret'}
        fileName={`latchkey-${isKey ? '' : 'webhook-'}${toFileName(name)}`}
        action="Done"
        onStored={onClose}
      />
    </Dialog>
  );
}

interface RawKeyPanelProps {
  rawKey: string;
  noun?: 'key' | 'secret';
  /** File name without extension. */
  fileName: string;
  /** Label of the button that continues once the key is stored. */
  action: string;
  onStored: () => void;
}

/** A new key, shown only once: to copy or download. The button works after the admin confirms that the key is stored. */
export function RawKeyPanel({ rawKey, noun = 'key', fileName, action, onStored }: RawKeyPanelProps) {
  const { isCopied, copy } = useCopy();
  const [isStored, setStored] = useState(false);
  useWindowEvent('beforeunload', (event) => {
    // The browser asks for confirmation, in its own words, before it leaves the page.
    if (!isStored) event.preventDefault();
  });
  return (
    <Flex direction="column" gap="1rem">
      <code className={styles.key} data-testid="raw-key">
        {rawKey}
      </code>
      <Flex wrap="wrap" gap="0.625rem">
        <Button
          variant="default"
          leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={17} />}
          onClick={() => copy(rawKey, noun === 'key' ? 'Key' : 'Secret')}
          data-autofocus
        >
          Copy
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={17} />}
          onClick={() => downloadBlob(`${fileName}.txt`, new Blob([`${rawKey}\n`], { type: 'text/plain' }))}
        >
          Download
        </Button>
      </Flex>
      <Flex wrap="wrap" align="center" justify="space-between" gap="0.875rem 1.25rem" className={styles.gate}>
        <Checkbox
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
          label={`I have stored this ${noun}. It will not be shown again.`}
        />
        <Button disabled={!isStored} onClick={onStored}>
          {action}
        </Button>
      </Flex>
    </Flex>
  );
}
