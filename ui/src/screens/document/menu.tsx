/** A menu of what can be done. What cannot be done stays, with the reason; what has several ways opens a menu of them. */

import { useState } from 'react';
import { Button as AriaButton, Menu as AriaMenu, MenuItem, MenuTrigger, Popover, SubmenuTrigger, Text } from 'react-aria-components';
import { Dialog, dialogStyles } from '../../app/dialog';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../app/icons';
import { Button } from '../../app/parts';
import styles from './menu.module.css';

export interface Item {
  id: string;
  title: string;
  why?: string | undefined;
  icon?: IconName;
  /** Asked first: what follows, in a sentence. */
  ask?: string;
  run?: () => void;
  /** The ways to do it, in a menu of their own. */
  items?: readonly Item[];
}

interface MenuProps {
  label: string;
  items: readonly Item[];
  /** What the button shows; three dots when left out. */
  shown?: ReactNode;
  placement?: 'bottom end' | 'bottom start' | 'top start';
}

export function Menu({ label, items, shown, placement = 'bottom end' }: MenuProps) {
  const [asked, setAsked] = useState<Item | null>(null);
  const act = (item: Item) => { if (item.ask) setAsked(item); else item.run?.(); };
  return (
    <>
      <MenuTrigger>
        <AriaButton aria-label={label} className={(shown === undefined ? styles.trigger : styles.worded) ?? ''}>{shown ?? <Icon name="more" />}</AriaButton>
        <Popover className={styles.popover ?? ''} placement={placement}><Items label={label} items={items} act={act} /></Popover>
      </MenuTrigger>
      {asked && (
        <Dialog label={asked.title} close={() => setAsked(null)}>
          <p>{asked.ask}</p>
          <div className={dialogStyles.actions}>
            <Button autoFocus onClick={() => setAsked(null)}>Cancel</Button>
            <Button look="danger" onClick={() => { setAsked(null); asked.run?.(); }}>{asked.title}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Items({ label, items, act }: { label: string; items: readonly Item[]; act: (item: Item) => void }) {
  return (
    <AriaMenu className={styles.menu ?? ''} aria-label={label} disabledKeys={items.filter((item) => item.why).map((item) => item.id)}
      onAction={(id) => { const item = items.find((one) => one.id === id); if (item && !item.items) act(item); }}>
      {items.map((item) => {
        const entry = (
          <MenuItem key={item.id} id={item.id} textValue={item.title} className={styles.item ?? ''}>
            <Text slot="label" className={styles.title ?? ''}>{item.icon && <Icon name={item.icon} />}{item.title}{item.items && <Icon name="right" className={styles.deeper} />}</Text>
            {item.why && <Text slot="description" elementType="small">{item.why}</Text>}
          </MenuItem>
        );
        return item.items && !item.why
          ? <SubmenuTrigger key={item.id}>{entry}<Popover className={styles.popover ?? ''}><Items label={item.title} items={item.items} act={act} /></Popover></SubmenuTrigger>
          : entry;
      })}
    </AriaMenu>
  );
}
