import { ActionIcon } from '@mantine/core';
import { Icon } from './icon.tsx';
import { useCopy } from './use-copy.ts';

/** @param what names the text: "Key URL" */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { isCopied, copy } = useCopy();
  const label = `Copy ${what}`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      onClick={() => copy(text, what)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={17} />
    </ActionIcon>
  );
}
