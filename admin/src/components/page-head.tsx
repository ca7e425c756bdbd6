import { Box, Flex, Skeleton } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { withoutDirection } from './mark-direction.ts';
import { OutsideText } from './outside-text.tsx';
import styles from './page-head.module.css';

interface PageHeadProps {
  title: string;
  /** The purpose of the page, in one sentence. */
  lead?: ReactNode;
  /** Buttons on the right. */
  actions?: ReactNode;
}

/** Sets the document title and moves the focus to the heading, so that screen readers announce the page. @returns its ref */
export function useAnnouncedHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${withoutDirection(title)} · Latchkey`;
    // Not while the admin is typing.
    if (!document.activeElement?.matches('input, textarea, select')) heading.current?.focus();
  }, [title]);
  return heading;
}

/** The heading of a page. It takes the focus. */
export function PageHead({ title, lead, actions }: PageHeadProps) {
  const heading = useAnnouncedHeading(title);
  return (
    <Flex wrap="wrap" justify="space-between" align="flex-start" gap="1rem 2rem" mb="1.75rem">
      <Flex direction="column" gap="0.375rem" miw={0} maw="44rem">
        <h1 ref={heading} tabIndex={-1}>
          <OutsideText text={title} />
        </h1>
        {lead && <p className="quiet">{lead}</p>}
      </Flex>
      {actions && (
        <Flex wrap="wrap" gap="0.625rem" maw="100%" className={styles.actions}>
          {actions}
        </Flex>
      )}
    </Flex>
  );
}

/** Placeholder while a page is being loaded. @param title the kind of the page, unless its heading is already shown */
export function PageSkeleton({ title }: { title?: string | undefined }) {
  return (
    <div aria-busy="true">
      {title && (
        <Box component="h1" mb="1.75rem">
          {title}
        </Box>
      )}
      <Skeleton width="100%" height="22rem" />
      <span className="visually-hidden">Loading…</span>
    </div>
  );
}
