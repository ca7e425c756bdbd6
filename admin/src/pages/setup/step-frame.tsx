import { Box, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnnouncedHeading } from '../../components/page-head.tsx';
import styles from './setup.module.css';

interface StepFrameProps {
  title: string;
  lead: ReactNode;
  children: ReactNode;
}

/** One step of the wizard. Its heading takes the focus. */
export function StepFrame({ title, lead, children }: StepFrameProps) {
  const heading = useAnnouncedHeading(title);
  return (
    <Stack component="section" gap="1.75rem">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <Box component="p" mt="0.5rem" c="dimmed">
          {lead}
        </Box>
      </div>
      {children}
    </Stack>
  );
}

const steps = ['Claim', 'Store the key', 'First content', 'Fetch its key'];

/** Progress of the wizard. @param current counted from 0 */
export function StepList({ current }: { current: number }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {steps.map((name, index) => (
        <li
          key={name}
          className={styles.step}
          data-done={index < current || undefined}
          aria-current={index === current ? 'step' : undefined}
        >
          <span className={styles.stepName}>{name}</span>
          {index < current && <span className="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  );
}
