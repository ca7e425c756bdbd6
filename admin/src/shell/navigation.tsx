import { Link, useRoute } from 'wouter';
import { Icon } from '../components/icon.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { type NavItem, navItemsFor, routeOf } from './nav-items.ts';
import styles from './navigation.module.css';

/** The pages that the signed-in key may see. */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const { scope } = useCurrentApiKey();
  return (
    <nav aria-label="Pages" className={styles.nav}>
      {navItemsFor(scope).map((item) => (
        <NavLink key={item.path} item={item} onGo={onGo} />
      ))}
    </nav>
  );
}

function NavLink({ item, onGo }: { item: NavItem; onGo: (() => void) | undefined }) {
  const { path, label, icon, load } = item;
  // A page's own pages count as it.
  const [isHere] = useRoute(routeOf(item));
  const preload = () => void load().catch(() => {});
  return (
    <Link
      href={path}
      className={styles.link}
      aria-current={isHere ? 'page' : undefined}
      onClick={() => onGo?.()}
      onPointerEnter={preload}
      onFocus={preload}
    >
      <Icon name={icon} />
      {label}
    </Link>
  );
}
