import type { ReactNode, Ref } from "react";
import {
  Button as AriaButton,
  Link as AriaLink,
  type ButtonProps,
  type LinkProps,
  Tooltip,
  TooltipTrigger,
} from "react-aria-components";
import styles from "./button.module.css";

type Kind = "plain" | "primary" | "danger" | "quiet";
type Look = { kind?: Kind; children?: ReactNode };

const classOf = (kind: Kind) => `${styles.button} ${styles[kind]}`;

type PlainProps = Omit<ButtonProps, "className" | "children"> & Look & { ref?: Ref<HTMLButtonElement> };

export const Button = ({ kind = "plain", ...props }: PlainProps) => (
  <AriaButton {...props} className={classOf(kind)} />
);

/** A link that looks like a button. */
export const ButtonLink = ({
  kind = "plain",
  ...props
}: Omit<LinkProps, "className" | "children"> & Look) => <AriaLink {...props} className={classOf(kind)} />;

type IconProps = Omit<ButtonProps, "className" | "children" | "aria-label"> & {
  label: string;
  /** The equivalent key, shown in the tooltip. */
  shortcut?: string;
  children: ReactNode;
};

/** A button with only an icon. Its label is read by screen readers, and shown on hover and focus. */
export const IconButton = ({ label, shortcut, ...props }: IconProps) => (
  <TooltipTrigger delay={500}>
    <AriaButton {...props} aria-label={label} className={`${styles.button} ${styles.quiet} ${styles.icon}`} />
    <Tooltip className={styles.tooltip} offset={6}>
      {label} {shortcut && <kbd>{shortcut}</kbd>}
    </Tooltip>
  </TooltipTrigger>
);
