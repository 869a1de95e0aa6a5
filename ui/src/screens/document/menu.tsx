/** A menu of what can be done with a document. What cannot be done stays, with the reason. */

import { useState } from 'react';
import { Button as AriaButton, Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Text } from 'react-aria-components';
import { Dialog, dialogStyles } from '../../app/dialog';
import { Icon } from '../../app/icons';
import { Button } from '../../app/parts';
import styles from './menu.module.css';

export interface Item {
  id: string;
  title: string;
  why?: string | undefined;
  /** Asked first: what follows, in a sentence. */
  ask?: string;
  run: () => void;
}

export function Menu({ label, items }: { label: string; items: readonly Item[] }) {
  const [asked, setAsked] = useState<Item | null>(null);
  return (
    <>
      <MenuTrigger>
        <AriaButton aria-label={label} className={styles.trigger ?? ''}><Icon name="more" /></AriaButton>
        <Popover className={styles.popover ?? ''} placement="bottom end">
          <AriaMenu className={styles.menu ?? ''} aria-label={label} disabledKeys={items.filter((item) => item.why).map((item) => item.id)}
            onAction={(id) => {
              const item = items.find((one) => one.id === id);
              if (!item) return;
              if (item.ask) setAsked(item);
              else item.run();
            }}>
            {items.map((item) => (
              <MenuItem key={item.id} id={item.id} textValue={item.title} className={styles.item ?? ''}>
                <Text slot="label">{item.title}</Text>
                {item.why && <Text slot="description" elementType="small">{item.why}</Text>}
              </MenuItem>
            ))}
          </AriaMenu>
        </Popover>
      </MenuTrigger>
      {asked && (
        <Dialog label={asked.title} close={() => setAsked(null)}>
          <p>{asked.ask}</p>
          <div className={dialogStyles.actions}>
            <Button autoFocus onClick={() => setAsked(null)}>Cancel</Button>
            <Button look="danger" onClick={() => { setAsked(null); asked.run(); }}>{asked.title}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
