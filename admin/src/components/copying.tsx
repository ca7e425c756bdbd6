import { ActionIcon, Flex } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { useApp } from '../session/app-context.ts';
import styles from './copying.module.css';
import { Icon } from './icon.tsx';
import { OutsideText } from './outside-text.tsx';

const shownMs = 2_000;

/**
 * Copies to the clipboard and shows success for two seconds.
 *
 * @returns `copy` resolves to false if the browser offers no clipboard: over plain HTTP from another machine
 */
export function useCopy(): { isCopied: boolean; copy: (text: string, what: string) => Promise<boolean> } {
  const { announce } = useApp().toasts;
  const [isCopied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), shownMs);
  return {
    isCopied,
    async copy(text, what) {
      // Browsers hide the clipboard from pages served over plain HTTP, except from localhost.
      const written = navigator.clipboard?.writeText(text).then(
        () => true,
        () => false,
      );
      const done = (await written) || copyBySelection(text);
      setCopied(done);
      start();
      announce(done ? `${what} copied` : `Could not copy. Select the text and copy it yourself.`);
      return done;
    },
  };
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  // Inside an open dialog, whose focus trap would take the focus back from anything outside it.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  const before = document.activeElement;
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}

/** @param what name of the text, such as "Key URL" */
function CopyButton({ text, what }: { text: string; what: string }) {
  const { isCopied, copy } = useCopy();
  const label = `Copy ${what}`;
  return (
    <ActionIcon aria-label={label} title={label} onClick={() => copy(text, what)}>
      <Icon name={isCopied ? 'check' : 'copy'} size={17} />
    </ActionIcon>
  );
}

/** An ID, a URL or similar, with a button that copies it. */
export function CopyableValue({ text, what }: { text: string; what: string }) {
  return (
    <Flex component="span" display="inline-flex" align="center" gap="0.25rem" maw="100%">
      <code style={{ overflowWrap: 'anywhere' }}>
        <OutsideText text={text} />
      </code>
      <CopyButton text={text} what={what} />
    </Flex>
  );
}

interface CodeBlockProps {
  /** A name for labels, such as "Command". */
  what: string;
  text: string;
  /** The text that the button copies, if it differs from the shown text: a key that the screen shortens. */
  copied?: string;
}

/** Lines to copy and run. Long lines wrap next to the copy button. */
export function CodeBlock({ what, text, copied = text }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section className={styles.codeBlockText} tabIndex={0} aria-label={what}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <span className={styles.copy}>
        <CopyButton text={copied} what={what} />
      </span>
    </div>
  );
}
