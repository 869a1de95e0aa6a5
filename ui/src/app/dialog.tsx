/** A dialog: focus stays in it and returns where it came from. */

import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { cx } from './parts';
import styles from './palette.module.css';

export function Dialog({ label, close, children, look = 'form' }: {
  label: string; close: () => void; children: ReactNode; look?: 'form' | 'palette';
}) {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => { if (!open) close(); }} className={styles.overlay ?? ''}>
      <Modal className={cx(styles.modal, look === 'form' && styles.narrow)}>
        <AriaDialog className={styles.dialog ?? ''} {...(look === 'palette' ? { 'aria-label': label } : {})}>
          {look === 'form' ? <div className={styles.form}><Heading slot="title" level={2}>{label}</Heading>{children}</div> : children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export { styles as dialogStyles };
