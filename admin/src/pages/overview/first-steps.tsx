import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';

/** In the place of the figures of a server that has nothing to give keys for. */
export function FirstSteps() {
  const begin = (
    <Button component={Link} href="/content">
      Register the first content
    </Button>
  );
  return (
    <Card>
      <EmptyState icon="chart" title="Nothing to measure yet" action={begin}>
        Once players ask for keys, this page shows who is watching, how quickly keys are given, what is
        refused or fails, and how soon a revocation takes hold. It begins with a content: a name, whose key
        encrypts the video.
      </EmptyState>
    </Card>
  );
}
