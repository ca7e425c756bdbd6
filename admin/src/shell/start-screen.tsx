import { Logo } from '../components/logo.tsx';
import styles from './entrance.module.css';

/** While the server is asked what to show: nearly always too short to be seen. */
export function StartScreen() {
  return (
    <div className={styles.entrance} aria-busy="true">
      <div className={styles.waiting}>
        <Logo />
        <span className="visually-hidden">Asking the server…</span>
      </div>
    </div>
  );
}
