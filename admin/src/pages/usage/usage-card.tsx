import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { UsageKind } from '../../api/resources.ts';
import { TimeChart } from '../../charts/time-chart.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { Section } from '../../components/section.tsx';
import { chartProps, totalLines } from './chart-props.ts';
import styles from './usage.module.css';
import { describeStep, stepsOf } from './usage-lines.ts';
import { usageAddress } from './usage-view.ts';
import { useUsage } from './use-usage.ts';

interface UsageCardProps {
  by: UsageKind;
  id: string;
}

/** The key requests of a day for one content or by one viewer. */
export function UsageCard({ by, id }: UsageCardProps) {
  const { usage, error, reload } = useUsage({ range: '24h', zoomed: null, requests: 'keys', by, id });
  const steps = useMemo(() => usage && stepsOf(usage), [usage]);
  const [series] = usage?.series ?? [];
  return (
    <Section
      title="Key requests of the last day"
      aside={<Link href={usageAddress(by, id)}>Usage over time</Link>}
    >
      <Card>
        {error !== null && <ErrorState error={error} onRetry={reload} />}
        {!error && !usage && <Skeleton width="100%" height="15rem" />}
        {usage?.unavailable && <p>This server keeps no usage.</p>}
        {steps && series && (
          <TimeChart
            {...chartProps(steps)}
            title={`Requests, ${describeStep(steps.stepMs)}`}
            lines={totalLines(series, steps)}
            empty="No request"
          />
        )}
        {steps && (
          <p className={styles.note}>
            The 50 busiest of each minute are counted by name. On a busy server a request of a rarer one may
            be missing here.
          </p>
        )}
      </Card>
    </Section>
  );
}
