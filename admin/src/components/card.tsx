import { Box, Paper } from '@mantine/core';
import type { ReactNode } from 'react';

/** A bordered panel that groups related content. */
export function Card({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <Paper withBorder shadow="xs" radius="0.75rem" px="1.5rem" py="1.25rem" mb="1.25rem">
      {title && (
        <Box component="h2" mb="0.75rem">
          {title}
        </Box>
      )}
      {children}
    </Paper>
  );
}
