import { useState } from 'react';
import { Link } from 'wouter';
import { describeTarget } from '../../api/audit-target.ts';
import { Section } from '../../components/section.tsx';
import { TimePicker } from '../../components/time-picker.tsx';
import { timeForm } from '../../state/time-range.ts';
import { useAddressFilter } from '../../state/use-address-filter.ts';
import { UsageCharts } from './usage-charts.tsx';
import { usageAddress } from './usage-view.ts';

interface UsageCardProps {
  by: 'content' | 'viewer' | 'api-key';
  id: string;
}

const form = timeForm('24h');

/** The key requests for one content, by one viewer or with one API key. */
export function UsageCard({ by, id }: UsageCardProps) {
  const [view, change] = useAddressFilter(form);
  const [at, move] = useState<number | null>(null);
  return (
    <Section title="Key requests" aside={<Link href={usageAddress(by, id, view)}>Usage over time</Link>}>
      <TimePicker view={view} change={change} cursorAt={at} />
      <UsageCharts {...{ view, change, by, id }} cursor={{ at, move }} targets={targetsOf({ by, id })} />
      <p className="note">
        The 50 busiest of each minute are counted by name. On a busy server a request of a rarer one may be
        missing here.
      </p>
    </Section>
  );
}

/** As the audit names it. A content is the target of its own changes and of revocations. */
function targetsOf({ by, id }: UsageCardProps): string[] {
  if (by === 'viewer') return [describeTarget({ viewerId: id, contentId: null })];
  return by === 'content' ? [id, describeTarget({ viewerId: null, contentId: id })] : [id];
}
