import styles from './setup.module.css';

const steps = ['Claim', 'Store the key', 'First content', 'Fetch its key'];

/** Where in the wizard one is. @param current counted from 0 */
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
